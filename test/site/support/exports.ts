/** The same content in every version of the export format. */

export const VERSIONS = ['0.3', '0.4', '0.5', '0.6', '0.7', '0.8', '0.9', '0.10', '0.11'] as const;
export type Version = (typeof VERSIONS)[number];

export const PAGES = ['Page A', 'Page B', 'Page C'] as const;

const since = (version: Version, first: Version): boolean => VERSIONS.indexOf(version) >= VERSIONS.indexOf(first);

export const SITE_ELEMENT = `<siteinfo><sitename>Site</sitename><base>https://wiki.example/wiki/Main</base>
<generator>MediaWiki</generator><case>first-letter</case><namespaces><namespace key="0" case="first-letter"/>
<namespace key="10" case="first-letter">Template</namespace></namespaces></siteinfo>`;

/** A page with two revisions, whose texts, numbers and users say which page it is: the last letter of its title. */
export const pageElement = (title: string, version: Version, ns = 0): string => {
  const letter = title.slice(-1);
  const number = letter.charCodeAt(0) - 64;
  const revision = (n: number): string => {
    const model = since(version, '0.8') ? '<model>wikitext</model><format>text/x-wiki</format>' : '';
    const text = `Text ${letter} ${n} [[Link]] &lt;b&gt;`;
    const sha1 = since(version, '0.6') ? '<sha1>phoiac9h4m842xq45sp7s6u21eteeq1</sha1>' : '';
    const textElement = `<text xml:space="preserve"${since(version, '0.5') ? ' bytes="30"' : ''}>${text}</text>`;
    const slot = `<content><role>aux</role><origin>1</origin><model>json</model><format>application/json</format><text>{}</text></content>`;
    return `<revision><id>${number * 100 + n}</id>
${since(version, '0.8') ? (n === 1 ? '' : `<parentid>${number * 100 + n - 1}</parentid>`) : ''}
<timestamp>2024-01-0${n}T00:00:0${number % 10}Z</timestamp>
<contributor><username>User ${letter}</username><id>${number}</id></contributor><minor/>
<comment>Comment ${letter}</comment>${since(version, '0.11') ? '<origin>1</origin>' : ''}
${since(version, '0.10') ? model + textElement + sha1 : sha1 + textElement + model}${since(version, '0.11') ? slot : ''}</revision>`;
  };
  return `<page><title>${title}</title>${since(version, '0.6') ? `<ns>${ns}</ns>` : ''}<id>${number * 10}</id>
${since(version, '0.7') ? '<redirect title="Other"/>' : since(version, '0.4') ? '<redirect/>' : ''}
<restrictions>edit=sysop</restrictions>${since(version, '0.4') ? '<discussionthreadinginfo><ThreadSubject>s</ThreadSubject></discussionthreadinginfo>' : ''}
${revision(1)}${revision(2)}</page>`;
};

/** An export of a version, with a page of the template namespace that has the letter of `Page B` too. */
export const exportOfVersion = (version: Version): string => {
  const namespaceCase = since(version, '0.5') ? ' case="first-letter"' : '';
  const siteinfo = SITE_ELEMENT.replaceAll(' case="first-letter"', namespaceCase).replace(
    '<base>',
    since(version, '0.9') ? '<dbname>site</dbname><base>' : '<base>',
  );
  const template = pageElement('Template:Head B', version, 10)
    .replaceAll('<id>20', '<id>26')
    .replace('<id>260</id>', '<id>21</id>')
    .replace('<parentid>20', '<parentid>26');
  return `<?xml version="1.0" encoding="utf-8"?>
<mediawiki xmlns="http://www.mediawiki.org/xml/export-${version}/" version="${version}" xml:lang="en">${siteinfo}
${PAGES.map((title) => pageElement(title, version)).join('\n')}${template}</mediawiki>`;
};
