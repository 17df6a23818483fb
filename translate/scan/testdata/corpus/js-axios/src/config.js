export const API_ROOT = process.env.DELCAMPE_API || 'https://rest.delcampe.net';
export const JIRA = 'https://jira.example.com/rest/api/2';
