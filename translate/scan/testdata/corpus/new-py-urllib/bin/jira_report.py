import requests
JIRA = 'https://jira.example.com'
r = requests.get(JIRA + '/rest/api/2/search', params={'jql': 'project = STAMPS'})
r2 = requests.post('https://bitbucket.example.com/rest/api/1.0/projects')
print(r.json(), r2.status_code)
