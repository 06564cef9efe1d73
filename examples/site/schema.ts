/** Raised when the tables change, or what is read into them, so that an older file is not taken for a new one. */
export const SCHEMA_VERSION = 3;

/**
 * Titles are kept without their namespace and with underscores: the form in which lists are sorted and continued.
 * Times are texts such as `2024-05-06T07:08:09Z`, which sort as they should.
 */
export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS site (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS page (
    id INTEGER PRIMARY KEY,
    ns INTEGER NOT NULL,
    title TEXT NOT NULL,
    latest INTEGER NOT NULL DEFAULT 0,
    length INTEGER NOT NULL DEFAULT 0,
    touched TEXT NOT NULL DEFAULT '',
    model TEXT NOT NULL DEFAULT 'wikitext',
    redirect_to TEXT,
    redirect_fragment TEXT NOT NULL DEFAULT '',
    random INTEGER NOT NULL DEFAULT 0
  );
  CREATE UNIQUE INDEX IF NOT EXISTS page_by_title ON page (ns, title);
  CREATE INDEX IF NOT EXISTS page_by_random ON page (random, id);

  CREATE TABLE IF NOT EXISTS revision (
    id INTEGER PRIMARY KEY,
    page INTEGER NOT NULL,
    parent INTEGER NOT NULL,
    timestamp TEXT NOT NULL,
    user TEXT,
    user_id INTEGER NOT NULL,
    minor INTEGER NOT NULL,
    comment TEXT,
    size INTEGER NOT NULL,
    sha1 TEXT NOT NULL,
    model TEXT NOT NULL,
    format TEXT NOT NULL,
    text TEXT
  );
  CREATE INDEX IF NOT EXISTS revision_by_page ON revision (page, timestamp, id);
  CREATE INDEX IF NOT EXISTS revision_by_time ON revision (timestamp, id);
  CREATE INDEX IF NOT EXISTS revision_by_user ON revision (user, timestamp, id);

  -- Who has written something. An address is a user without an id.
  CREATE TABLE IF NOT EXISTS user (name TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS user_by_id ON user (id);

  -- kind: link, template, file, redirect.
  CREATE TABLE IF NOT EXISTS link (
    kind TEXT NOT NULL,
    page INTEGER NOT NULL,
    ns INTEGER NOT NULL,
    title TEXT NOT NULL,
    fragment TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (kind, page, ns, title)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS link_by_target ON link (kind, ns, title, page);

  -- type: 0 page, 1 subcat, 2 file.
  CREATE TABLE IF NOT EXISTS category_member (
    category TEXT NOT NULL,
    type INTEGER NOT NULL,
    sortkey TEXT NOT NULL,
    prefix TEXT NOT NULL,
    page INTEGER NOT NULL,
    timestamp TEXT NOT NULL,
    PRIMARY KEY (category, type, sortkey, page)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS category_member_by_time ON category_member (category, timestamp, page);
  CREATE UNIQUE INDEX IF NOT EXISTS category_member_by_page ON category_member (page, category);

  -- key: the address with its host turned round, org.example.www./path, so that a host and all below it stand together.
  CREATE TABLE IF NOT EXISTS external_link (
    page INTEGER NOT NULL,
    url TEXT NOT NULL,
    protocol TEXT NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (page, url)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS external_link_by_key ON external_link (key, page);

  CREATE TABLE IF NOT EXISTS foreign_link (
    page INTEGER NOT NULL,
    language INTEGER NOT NULL,
    prefix TEXT NOT NULL,
    title TEXT NOT NULL,
    PRIMARY KEY (page, language, prefix, title)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS foreign_link_by_target ON foreign_link (language, prefix, title, page);

  CREATE TABLE IF NOT EXISTS page_prop (
    page INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (page, name)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS page_prop_by_name ON page_prop (name, page);

  CREATE TABLE IF NOT EXISTS log (
    id INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    action TEXT NOT NULL,
    page INTEGER NOT NULL,
    ns INTEGER NOT NULL,
    title TEXT NOT NULL,
    user TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    comment TEXT NOT NULL,
    params TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS log_by_time ON log (timestamp, id);

  CREATE VIRTUAL TABLE IF NOT EXISTS page_text USING fts5 (title, text);

  -- Who writes on a page watches it.
  CREATE VIEW IF NOT EXISTS watch AS SELECT DISTINCT user, page FROM revision`;
