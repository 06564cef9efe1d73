type Kind = 'link' | 'file' | 'redirect' | 'category' | 'property';

/** What a file gives: nothing, or the title of a page, its links, and what its HTML contains. */
type Given =
  | null
  | (Partial<Readonly<Record<Kind, readonly string[]>>> & {
      readonly page: string;
      readonly time?: string;
      readonly text?: RegExp;
    });

/** A folder as the documentation of a program describes it: each file with its text and what it must give. */
interface Generator {
  readonly files: Readonly<Record<string, readonly [text: string, given: Given]>>;
  /** Reports, without the path of the folder. */
  readonly problems: readonly string[];
}

const title = (text: string): readonly string[] => [`displaytitle|${text}`];

/** @see https://gohugo.io/content-management/front-matter/ */
const hugo: Generator = {
  files: {
    '_index.md': ['+++\ntitle = "Home"\n+++\nWelcome.', { page: 'Main Page', property: title('Home') }],
    'posts/_index.md': ['---\ntitle: Posts\n---\n', { page: 'Posts', property: title('Posts') }],
    'posts/toml.md': [
      "+++\ndate = 2024-02-02T04:14:54-08:00\nlastmod = 2024-02-03\ntitle = 'Example'\ntags = ['red', \"blue\"]\n[params]\nauthor = 'x'\n+++\nText.",
      { page: 'Posts/toml', property: title('Example'), category: ['Blue', 'Red'], time: '2024-02-03T00:00:00Z' },
    ],
    'posts/json.md': [
      '{\n  "title": "Example",\n  "date": "2024-02-02T04:14:54-08:00",\n  "categories": ["a", "b"],\n  "weight": 10\n}\nText.',
      { page: 'Posts/json', property: title('Example'), category: ['A', 'B'], time: '2024-02-02T12:14:54Z' },
    ],
    'posts/yaml.md': [
      '---\ntitle: Example\ndate: 2024-02-02\ndraft: false\nsummary: Short.\n---\n[t](toml.md) [r](/posts/json/)',
      { page: 'Posts/yaml', property: ['description|Short.', ...title('Example')], link: ['Posts/json', 'Posts/toml'] },
    ],
    'posts/draft.md': ['+++\ndraft = true\n+++\nNot yet.', null],
    'posts/draft-json.md': ['{\n  "draft": true\n}\nNot yet.', null],
    'posts/alias.md': ['---\naliases: [/old/url/, /posts/former.html]\n---\nText.', { page: 'Posts/alias' }],
    'posts/codes.md': [
      '{{< youtube 0RKpf3rK57I >}}\n\n{{% note %}}Text.{{% /note %}}',
      { page: 'Posts/codes', text: /\{\{&lt;/ },
    ],
    'posts/code.md': ['```go-html-template\n{{ .Title }}\n```\nSee `{{< x >}}`.', { page: 'Posts/code' }],
    'bundle/index.md': ['![A photo](photo.png)', { page: 'Bundle', file: ['Bundle/photo.png'] }],
    'posts/future.md': ['---\ndate: 2999-01-01\n---\nText.', { page: 'Posts/future', time: '2999-01-01T00:00:00Z' }],
  },
  problems: [
    '2 drafts are not served. To serve drafts, set drafts: true.',
    'Shortcodes, Liquid and MDX are shown as text. Files with them: 1.',
  ],
};

/** @see https://jekyllrb.com/docs/posts/ */
const jekyll: Generator = {
  files: {
    'index.md': ['---\nlayout: home\n---\n', { page: 'Main Page' }],
    'about.markdown': [
      '---\nlayout: page\ntitle: About\npermalink: /about/\n---\n',
      { page: 'About', property: title('About') },
    ],
    '_posts/2024-01-02-first-post.md': [
      '---\nlayout: post\ntitle: First\ncategories: news sport\n---\n',
      {
        page: 'Posts/2024-01-02-first-post',
        time: '2024-01-02T00:00:00Z',
        category: ['News sport'],
        property: title('First'),
      },
    ],
    '_posts/2024-01-03-dated.md': [
      '---\ndate: 2024-01-04 10:30:00 +0200\ntags:\n- a\n- b\n---\n',
      { page: 'Posts/2024-01-03-dated', time: '2024-01-04T08:30:00Z', category: ['A', 'B'] },
    ],
    'blog/_posts/2024-01-05-deep.md': [
      '---\n---\n# Deep',
      { page: 'Blog/ posts/2024-01-05-deep', time: '2024-01-05T00:00:00Z', property: title('Deep') },
    ],
    '_drafts/idea.md': ['---\ntitle: Idea\n---\n', null],
    '_posts/2024-01-06-hidden.md': ['---\npublished: false\n---\n', null],
    'moved.md': ['---\nredirect_from:\n  - /old.html\n---\n', { page: 'Moved' }],
    'gone.md': ['---\nredirect_to: /about/\n---\n', { page: 'Gone', redirect: ['About'], link: ['About'] }],
    'liquid.md': ['---\n---\n{% include x.html %} {{ page.title }}', { page: 'Liquid', text: /\{% include/ }],
    'updated.md': [
      '---\ndate: 2024-01-01\nlast_modified_at: 2024-05-06\n---\n',
      { page: 'Updated', time: '2024-05-06T00:00:00Z' },
    ],
    'no-matter.md': [
      '[a](about.markdown) [p](_posts/2024-01-03-dated.md)',
      { page: 'No-matter', link: ['About', 'Posts/2024-01-03-dated'] },
    ],
  },
  problems: [
    '2 drafts are not served. To serve drafts, set drafts: true.',
    'Shortcodes, Liquid and MDX are shown as text. Files with them: 1.',
  ],
};

/** @see https://help.obsidian.md/links */
const obsidian: Generator = {
  files: {
    'Home.md': [
      '[[Three laws of motion]] [[Note|text]] [[Note#Part|part]] [[Note#^37066d]]',
      { page: 'Home', link: ['Folder/Note', 'Three laws of motion'] },
    ],
    'Three laws of motion.md': ['---\naliases:\n  - Newton\n  - F. = ma\n---\n', { page: 'Three laws of motion' }],
    'Folder/Note.md': ['A block. ^37066d\n\n## Part', { page: 'Folder/Note' }],
    'Folder/Embeds.md': [
      '![[Engelbart.jpg]] ![[Engelbart.jpg|100]] ![[Engelbart.jpg|100x145]] ![[Note]] ![[Document.pdf]]',
      { page: 'Folder/Embeds', file: ['Attachments/Engelbart.jpg', 'Document.pdf'], link: ['Folder/Note'] },
    ],
    'Tags.md': [
      '---\ntags:\n  - "#recipe"\n  - cooking/fish\n---\n#inline',
      { page: 'Tags', category: ['Cooking/fish', 'Recipe'] },
    ],
    'Properties.md': [
      '---\ndate: 2020-08-21\ntime: 2020-08-21T10:30:00\nrating: 5\nempty:\n---\n',
      { page: 'Properties', time: '2020-08-21T00:00:00Z' },
    ],
    'JSON.md': [
      '---\n{\n  "tags": ["journal"],\n  "publish": false\n}\n---\n',
      { page: 'JSON', category: ['Journal'] },
    ],
    'Callouts.md': ['> [!info] Title\n> Text with [[Home]].', { page: 'Callouts', link: ['Home'] }],
    'Comments.md': [
      '%%comment%% and ==mark== and a footnote[^1].\n\n[^1]: Text.',
      { page: 'Comments', text: /%%comment%%/ },
    ],
    'Markdown links.md': [
      '[a](Three%20laws%20of%20motion.md) [b](<Folder/Note.md>)',
      { page: 'Markdown links', link: ['Folder/Note', 'Three laws of motion'] },
    ],
    'Alias.md': ['[[Newton]] [[Folder/Note]] `[[code]]`', { page: 'Alias', link: ['Folder/Note', 'Newton'] }],
    'Daily/2024-01-02.md': [
      '# Tuesday\n- [ ] task [[Missing]]',
      { page: 'Daily/2024-01-02', link: ['Missing'], property: title('Tuesday') },
    ],
  },
  problems: [],
};

/** @see https://docusaurus.io/docs/create-doc */
const docusaurus: Generator = {
  files: {
    'intro.md': [
      '---\nsidebar_position: 1\n---\n# Intro\n\nSee [the tutorial](./tutorial/start.md#one).',
      { page: 'Intro', link: ['Tutorial/start'], property: title('Intro') },
    ],
    'tutorial/start.md': [
      '---\nid: start\ntitle: Start\nsidebar_label: S\ndescription: How to start.\nslug: /go\n---\n',
      { page: 'Tutorial/start', property: ['description|How to start.', ...title('Start')] },
    ],
    'tutorial/README.md': ['# Tutorial', { page: 'Tutorial', property: title('Tutorial') }],
    'admonitions.md': [
      ':::note\n\nText with [a link](intro.md).\n\n:::',
      { page: 'Admonitions', link: ['Intro'], text: /:::note/ },
    ],
    'draft.md': ['---\ndraft: true\n---\n', null],
    'component.mdx': ["import Tabs from '@theme/Tabs';\n\n<Tabs />", null],
    'tabs.md': ["import Tabs from '@theme/Tabs';\n\n<Tabs>text</Tabs>", { page: 'Tabs', text: /&lt;Tabs&gt;/ }],
    'tags.md': [
      '---\ntags:\n  - Demo\n  - label: Getting started\n    permalink: /x\n---\n',
      { page: 'Tags', category: ['Demo'] },
    ],
    'updated.md': ['---\nlast_update:\n  date: 1/1/2000\n---\n', { page: 'Updated' }],
    'image.md': [
      '![logo](/img/logo.png) ![d](./img/d.svg "Title")',
      { page: 'Image', file: ['Img/d.svg', 'Img/logo.png'] },
    ],
    'blog/2024-01-02-post.md': [
      '---\nauthors: ann\ndate: 2024-01-02T10:00\n---\nText.\n\n<!-- truncate -->\n',
      { page: 'Blog/2024-01-02-post', time: '2024-01-02T10:00:00Z' },
    ],
    'code.md': [
      '```jsx title="/src/x.js"\n<Tabs>{{ x }}</Tabs>\n```\n[up](../outside.md) [folder](tutorial/)',
      { page: 'Code', link: ['Tutorial'] },
    ],
  },
  problems: [
    'Files in MDX are skipped, because they contain code: 1.',
    'one draft is not served. To serve drafts, set drafts: true.',
    'Shortcodes, Liquid and MDX are shown as text. Files with them: 1.',
  ],
};

/** @see https://www.getzola.org/documentation/content/page/ */
const zola: Generator = {
  files: {
    '_index.md': ['+++\nsort_by = "date"\n+++\n', { page: 'Main Page' }],
    'blog/_index.md': ['+++\ntitle = "Blog"\npaginate_by = 5\n+++\n', { page: 'Blog', property: title('Blog') }],
    'blog/page.md': [
      '+++\ntitle = "Page"\ndescription = ""\ndate = 2019-11-27\nupdated = 2019-12-01T10:00:00Z\ndraft = false\nauthors = []\naliases = ["/old/page"]\n\n[taxonomies]\ntags = ["rust", "web"]\n\n[extra]\n+++\nText.',
      { page: 'Blog/page', property: title('Page'), category: ['Rust', 'Web'], time: '2019-12-01T10:00:00Z' },
    ],
    'blog/links.md': [
      '+++\n+++\n[a](@/blog/page.md#text) [b](@/_index.md) [c](./page.md)',
      { page: 'Blog/links', link: ['Blog/page', 'Main Page'] },
    ],
    'blog/draft.md': ['+++\ndraft = true\n+++\n', null],
    'blog/open.md': ['+++\ntitle = "Open"\ndraft = true\n', null],
    'blog/2020-01-01-dated.md': [
      '+++\ndate = 2020-01-01\nauthors = ["Ann", "Bob"]\n+++\n',
      { page: 'Blog/2020-01-01-dated', time: '2020-01-01T00:00:00Z' },
    ],
    'blog/asset/index.md': [
      '+++\n+++\n![a](yavascript.png)',
      { page: 'Blog/asset', file: ['Blog/asset/yavascript.png'] },
    ],
    'blog/more.md': [
      '+++\ntitle = """More"""\n+++\nText.\n<!-- more -->\nMore.',
      { page: 'Blog/more', property: title('More') },
    ],
    'blog/codes.md': [
      '+++\n+++\n{{ youtube(id="x") }}\n\n{% quote(author="V") %}\nText.\n{% end %}',
      { page: 'Blog/codes', text: /\{\{ youtube/ },
    ],
    'blog/inline.md': [
      "+++\nextra = { a.b = 1, c = 'd' }\nweight = 0x1F\n+++\n# Inline",
      { page: 'Blog/inline', property: title('Inline') },
    ],
    'yaml.md': [
      '---\ntitle: YAML\ntaxonomies:\n  categories: [x]\n---\n',
      { page: 'Yaml', property: title('YAML'), category: ['X'] },
    ],
  },
  problems: [
    '2 drafts are not served. To serve drafts, set drafts: true.',
    'Shortcodes, Liquid and MDX are shown as text. Files with them: 1.',
  ],
};

/** Folders of five programs. */
export const GENERATORS: Readonly<Record<string, Generator>> = { hugo, jekyll, obsidian, docusaurus, zola };
