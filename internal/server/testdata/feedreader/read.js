// Reads the feed at the address given and prints what it found, as JSON.
const Parser = require('rss-parser');

const parser = new Parser({
  customFields: { item: ['updated', ['category', 'category', { keepArray: true }]] },
});

parser.parseURL(process.argv[2]).then((feed) => {
  console.log(JSON.stringify({
    address: feed.feedUrl,
    page: feed.link,
    items: feed.items.map((item) => ({
      id: item.id,
      title: item.title,
      link: item.link,
      content: item.content,
      published: item.isoDate,
      updated: item.updated,
      categories: item.category.map((category) => category.$.term),
    })),
  }));
}).catch((error) => {
  console.error(error);
  process.exit(1);
});
