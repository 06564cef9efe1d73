/** Incremented when the tables or their content change, so that older files are detected. */
export const SCHEMA_VERSION = 12;

/** Begins words of the index that no search contains, because it is no letter. */
const OWN = '\u{e000}';

/** How often ids are divided by 16 for the words of a page's {@link groupWord}. */
export const LEVELS = [1, 2, 3, 4] as const;

/** The word that all pages of a namespace have in the index. */
export const namespaceWord = (ns: number): string => `${OWN}n${ns}`.replace('-', 'm');

/** How the words of all groups of a level begin. */
export const groupPrefix = (level: number): string => `${OWN}${level}x`;

/** The word that the pages with ids from `16 ** level * group` on have in the index, up to those of the next group. */
export const groupWord = (level: number, group: number): string => `${groupPrefix(level)}${group}`;

/** The same words, as expressions of SQL. */
const PLACE_WORDS = [
  `'${OWN}n' || replace(page.ns, '-', 'm')`,
  ...LEVELS.map((level) => `'${OWN}${level}x' || (page.id >> ${4 * level})`),
];

/**
 * Titles are without their namespace, as in a source. Times are texts such as `2024-05-06T07:08:09Z`, which sort
 * correctly. An index ends with what filters need, so that rows that do not pass them are skipped in the index.
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
    random INTEGER NOT NULL DEFAULT 0,
    words INTEGER NOT NULL DEFAULT 0,
    -- Whether it has language links.
    languages INTEGER NOT NULL DEFAULT 0
  );
  CREATE UNIQUE INDEX IF NOT EXISTS page_by_title ON page (ns, title);
  CREATE INDEX IF NOT EXISTS redirect_by_title ON page (ns, title) WHERE redirect_to IS NOT NULL;
  CREATE INDEX IF NOT EXISTS page_by_filters ON page (ns, title, length, redirect_to, languages);
  CREATE INDEX IF NOT EXISTS page_by_random ON page (random, id, ns, redirect_to, length, model);

  CREATE TABLE IF NOT EXISTS revision (
    id INTEGER PRIMARY KEY,
    page INTEGER NOT NULL,
    ns INTEGER NOT NULL,
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
  CREATE INDEX IF NOT EXISTS revision_by_page ON revision (page, timestamp, id, user);
  CREATE INDEX IF NOT EXISTS revision_by_time ON revision (timestamp, id, minor, user_id, parent, user, page);
  CREATE INDEX IF NOT EXISTS revision_by_user ON revision (user, timestamp, id, ns, minor, user_id, page, parent);
  CREATE INDEX IF NOT EXISTS revision_by_namespace ON revision (ns, timestamp, id, minor, user_id, parent, user, page);
  CREATE INDEX IF NOT EXISTS revision_if_first ON revision (timestamp, id, minor, user_id, user, page) WHERE parent = 0;
  CREATE INDEX IF NOT EXISTS revision_if_minor ON revision (timestamp, id, user_id, parent, user, page) WHERE minor = 1;
  CREATE INDEX IF NOT EXISTS revision_if_anonymous ON revision (timestamp, id, minor, parent, user, page) WHERE user_id = 0;

  -- Who has written something. An address is a user without an id.
  CREATE TABLE IF NOT EXISTS user (name TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS user_by_id ON user (id);
  CREATE INDEX IF NOT EXISTS user_with_account ON user (name, id) WHERE id > 0;

  -- How many revisions are by a user: counting them would take as long as the user has been busy. No later one than the last was ever stored.
  CREATE TABLE IF NOT EXISTS edit_count (user TEXT PRIMARY KEY, n INTEGER NOT NULL, last TEXT NOT NULL) WITHOUT ROWID;
  CREATE TRIGGER IF NOT EXISTS revision_added AFTER INSERT ON revision WHEN new.user IS NOT NULL BEGIN
    INSERT INTO edit_count (user, n, last) VALUES (new.user, 1, new.timestamp)
      ON CONFLICT (user) DO UPDATE SET n = n + 1, last = max(last, excluded.last);
  END;
  CREATE TRIGGER IF NOT EXISTS revision_removed AFTER DELETE ON revision WHEN old.user IS NOT NULL BEGIN
    UPDATE edit_count SET n = n - 1 WHERE user = old.user;
  END;

  -- The current version of the file of a page, by its title.
  CREATE TABLE IF NOT EXISTS file (
    title TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    size INTEGER NOT NULL,
    mime TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    user TEXT,
    sha1 TEXT
  ) WITHOUT ROWID;

  -- kind: what a source calls it. text: a section, an own sort key, a whole address, the value of a property. from_ns, from_redirect: of its page.
  CREATE TABLE IF NOT EXISTS link (
    kind TEXT NOT NULL,
    page INTEGER NOT NULL,
    ns INTEGER NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL DEFAULT '',
    from_ns INTEGER NOT NULL,
    from_redirect INTEGER NOT NULL,
    PRIMARY KEY (page, kind, ns, title)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS link_by_target ON link (kind, ns, title, page, from_ns, from_redirect, text);

  -- type: 0 page, 1 subcat, 2 file. member_ns: the namespace of the page.
  CREATE TABLE IF NOT EXISTS category_member (
    page INTEGER NOT NULL,
    member_ns INTEGER NOT NULL,
    category TEXT NOT NULL,
    type INTEGER NOT NULL,
    sortkey TEXT NOT NULL,
    prefix TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    PRIMARY KEY (page, category)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS category_member_by_sortkey ON category_member (category, type, sortkey, page, member_ns, prefix, timestamp);
  CREATE INDEX IF NOT EXISTS category_member_by_time ON category_member (category, timestamp, page, member_ns, sortkey, prefix);

  -- The number of members of each type in a category, so that requests need not count them.
  CREATE TABLE IF NOT EXISTS category_size (
    category TEXT NOT NULL,
    type INTEGER NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (category, type)
  ) WITHOUT ROWID;
  CREATE TRIGGER IF NOT EXISTS member_added AFTER INSERT ON category_member BEGIN
    INSERT INTO category_size (category, type, n) VALUES (new.category, new.type, 1)
      ON CONFLICT (category, type) DO UPDATE SET n = n + 1;
  END;
  CREATE TRIGGER IF NOT EXISTS member_removed AFTER DELETE ON category_member BEGIN
    UPDATE category_size SET n = n - 1 WHERE category = old.category AND type = old.type;
  END;

  -- The lists of special pages as they were at the end of the last import, because each takes time to compute.
  CREATE TABLE IF NOT EXISTS query_page (
    name TEXT NOT NULL,
    place INTEGER NOT NULL,
    ns INTEGER NOT NULL,
    title TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (name, place)
  ) WITHOUT ROWID;

  -- The index of the texts, which has none itself: they stand among the revisions, and it gets their folded terms between spaces. Its tokenizer cuts
  -- nowhere else, so that no table of the database decides what a word is. The namespace is a word, so that a
  -- search in a small namespace does not look at the pages of the others, and so are groups of ids: a search among a few
  -- ends after them, while one that is bounded by rowid reads on until something matches.
  CREATE VIEW IF NOT EXISTS page_search AS
    SELECT page.id AS id, page.title AS title, revision.text AS text,
      ${PLACE_WORDS.join(" || ' ' || ")} AS place
    FROM page JOIN revision ON revision.id = latest;
  CREATE VIRTUAL TABLE IF NOT EXISTS page_text
    USING fts5 (title, text, place, content = '', tokenize = 'ascii');
  CREATE VIRTUAL TABLE IF NOT EXISTS page_word USING fts5vocab (page_text, row);

  -- How many pages have a word, and how often, as it was when the words were last counted.
  CREATE TABLE IF NOT EXISTS word (term TEXT PRIMARY KEY, docs INTEGER NOT NULL, places INTEGER NOT NULL) WITHOUT ROWID;
`;
