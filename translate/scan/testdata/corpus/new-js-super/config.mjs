export const config = {
  token: process.env.TOKEN,
  api: { origin: 'https://rest.delcampe.net', root: 'https://rest.delcampe.net/rest' },
  jira: { root: 'https://jira.example.com/rest/api/latest' },
};
