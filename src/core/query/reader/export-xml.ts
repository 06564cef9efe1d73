import { xmlText } from '../answer/xml.js';
import type { QueryParams } from '../run/query-parameters.js';
import { pageAddress } from '../site/page-address.js';
import { GENERATOR, type Site } from '../site/site.js';

/** A version of MediaWiki's export format. */
export type ExportSchema = QueryParams['exportschema'];

/** A page for an export. */
export interface ExportPage {
  readonly pageid: number;
  readonly ns: number;
  readonly title: string;
  /** The title that it redirects to. */
  readonly redirect: string | undefined;
  readonly revision: ExportRevision;
}

/** A revision of `prop=revisions`, in formatversion 2. What is hidden or not stored is absent. */
export interface ExportRevision {
  readonly revid?: number;
  readonly parentid?: number;
  readonly timestamp?: string;
  readonly user?: string;
  readonly userid?: number;
  readonly anon?: boolean;
  readonly minor?: boolean;
  readonly comment?: string;
  readonly commenthidden?: boolean;
  readonly size?: number;
  readonly sha1?: string;
  readonly slots?: {
    readonly main?: { readonly content?: string; readonly contentmodel?: string; readonly contentformat?: string };
  };
}

const quoted = (text: string): string => xmlText(text).replaceAll('"', '&quot;');

/** An element with text on a line of its own; nothing without a text. */
const line = (indent: string, name: string, text: string | number | undefined): string =>
  text === undefined ? '' : `${indent}<${name}>${xmlText(String(text))}</${name}>\n`;

/** The pages in MediaWiki's XML export format, https://www.mediawiki.org/xml/export-0.11.xsd. */
export const exportXml = (pages: readonly ExportPage[], site: Site, schema: ExportSchema): string => {
  const uri = `http://www.mediawiki.org/xml/export-${schema}`;
  const root = `<mediawiki xmlns="${uri}/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${uri}/ ${uri}.xsd" version="${schema}" xml:lang="${quoted(site.language)}">\n`;
  return `${root}${siteXml(site)}${pages.map((page) => pageXml(page, schema)).join('')}</mediawiki>\n`;
};

const siteXml = (site: Site): string => {
  const namespaces = site.namespaces.map(({ id, name, case: letters }) => {
    const start = `      <namespace key="${id}" case="${quoted(letters)}"`;
    return name === '' ? `${start} />\n` : `${start}>${xmlText(name)}</namespace>\n`;
  });
  return [
    '  <siteinfo>\n',
    line('    ', 'sitename', site.name),
    line('    ', 'dbname', site.id),
    line('    ', 'base', pageAddress(site.mainPage, site)),
    line('    ', 'generator', GENERATOR),
    line('    ', 'case', site.namespaces.find(({ id }) => id === 0)?.case ?? 'first-letter'),
    '    <namespaces>\n',
    ...namespaces,
    '    </namespaces>\n',
    '  </siteinfo>\n',
  ].join('');
};

const pageXml = ({ pageid, ns, title, redirect, revision }: ExportPage, schema: ExportSchema): string =>
  [
    '  <page>\n',
    line('    ', 'title', title),
    line('    ', 'ns', ns),
    line('    ', 'id', pageid),
    redirect === undefined ? '' : `    <redirect title="${quoted(redirect)}" />\n`,
    revisionXml(revision, schema),
    '  </page>\n',
  ].join('');

const revisionXml = (revision: ExportRevision, schema: ExportSchema): string => {
  const { revid, parentid = 0, timestamp, minor, comment, commenthidden, slots } = revision;
  const { contentmodel = 'wikitext', contentformat = 'text/x-wiki', content } = slots?.main ?? {};
  const sha1 = base36(revision.sha1);
  return [
    '    <revision>\n',
    line('      ', 'id', revid),
    parentid === 0 ? '' : line('      ', 'parentid', parentid),
    line('      ', 'timestamp', timestamp),
    contributorXml(revision),
    minor === true ? '      <minor/>\n' : '',
    commenthidden === true ? '      <comment deleted="deleted" />\n' : line('      ', 'comment', comment || undefined),
    schema === '0.11' ? line('      ', 'origin', revid) : '',
    line('      ', 'model', contentmodel),
    line('      ', 'format', contentformat),
    textXml(content, sha1),
    line('      ', 'sha1', sha1),
    '    </revision>\n',
  ].join('');
};

const contributorXml = ({ user, userid = 0, anon }: ExportRevision): string => {
  if (user === undefined) return '      <contributor deleted="deleted" />\n';
  const who =
    anon === true ? line('        ', 'ip', user) : line('        ', 'username', user) + line('        ', 'id', userid);
  return `      <contributor>\n${who}      </contributor>\n`;
};

const textXml = (content: string | undefined, sha1: string | undefined): string => {
  if (content === undefined) return '      <text deleted="deleted" />\n';
  const facts = ` bytes="${Buffer.byteLength(content)}"${sha1 === undefined ? '' : ` sha1="${sha1}"`}`;
  return `      <text${facts} xml:space="preserve">${xmlText(content)}</text>\n`;
};

/** A SHA-1 as exports write it: in base 36, with 31 digits. */
const base36 = (hex: string | undefined): string | undefined =>
  hex === undefined || !/^[\da-f]{40}$/.test(hex) ? undefined : BigInt(`0x${hex}`).toString(36).padStart(31, '0');
