"""Everything that plugs into Scrapy."""
