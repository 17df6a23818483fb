package scan

import "strings"

// This file recognises the code of other services, whose interfaces have paths like ours.

// otherServices are services with interfaces that shops use.
var otherServices = []string{
	"magento", "jira", "confluence", "bitbucket", "wordpress", "woocommerce", "shopify", "prestashop", "opencart", "ebay", "etsy", "amazon", "paypal", "stripe", "github", "gitlab",
	"drupal", "joomla", "odoo", "salesforce", "zendesk", "hubspot", "mailchimp", "sendgrid", "twilio", "slack", "nexus", "artifactory", "sonarqube", "jenkins", "bamboo", "colnect",
	"allegro", "ricardo", "catawiki", "dhl", "sendcloud", "dropbox", "bigcommerce", "shopware", "netsuite", "sugarcrm", "mantis", "redmine", "atlassian",
}

// ofOther says whether a name names another service.
func ofOther(name string) bool {
	if len(name) < 3 || len(name) > 80 {
		return false
	}
	name = simple(name)
	if strings.Contains(name, serviceName) {
		return false
	}
	for _, service := range otherServices {
		if strings.HasPrefix(name, service) || strings.HasSuffix(name, service) {
			return true
		}
	}
	return false
}

// besideOther says whether the code around a path is that of another service: the object that sends it, the keys of the tables
// around it, the class, the function or the file.
func (a *analysis) besideOther(st int, c *around) bool {
	for ; c != nil; c = c.outer {
		for _, name := range c.callee {
			if ofOther(name) {
				return true
			}
		}
		if ofOther(c.key) {
			return true
		}
	}
	s := &a.file.statements[st]
	if s.fn != nil && ofOther(s.fn.name) {
		return true
	}
	if entry, ok := a.file.assignedBy(s); ok && (ofOther(entry.name) || ofOther(entry.holder)) {
		return true
	}
	if class := a.file.classOf(st); class >= 0 {
		nodes := a.file.statements[class].nodes
		for i := range min(len(nodes), 6) {
			if nodes[i].is("class", "Class", "module", "object", "interface") && i+1 < len(nodes) {
				return ofOther(nodes[i+1].text())
			}
		}
	}
	stem := a.file.path[strings.LastIndexByte(a.file.path, '/')+1:]
	stem, _, _ = strings.Cut(stem, ".")
	return ofOther(stem)
}
