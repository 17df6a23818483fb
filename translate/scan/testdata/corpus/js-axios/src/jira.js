import { JIRA } from './config';
const jira = axios.create({ baseURL: JIRA });
export const issue = id => jira.get(`/issue/${id}`);
export const item = id => jira.get(`/item/${id}`);
fetch('https://jira.example.com/rest/item/' + 7);
