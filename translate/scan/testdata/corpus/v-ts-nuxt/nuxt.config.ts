export default defineNuxtConfig({
  runtimeConfig: { public: { delcampeBase: 'https://rest.delcampe.net/rest', jiraBase: 'https://jira.example.com/rest' } },
  routeRules: { '/item/**': { isr: 60 }, '/category': { prerender: true } },
});
