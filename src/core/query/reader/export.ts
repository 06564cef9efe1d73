import { apiError } from '../answer/api-error.js';
import type { ExistingPage } from '../descriptor/page-model.js';
import type { RequestContext } from '../run/request-context.js';
import { type ExportPage, type ExportRevision, type ExportSchema, exportXml } from './export-xml.js';
import type { ReaderParts, RunSubquery } from './subquery.js';

/** The maximum size of all texts, in bytes: reading and escaping them takes time proportional to their length. */
const MAX_BYTES = 512 * 1024;

/** Pages whose texts are read at once: the limit of `prop=revisions` with content. */
const BATCH = 50;

const PROPS = 'ids|timestamp|flags|user|userid|comment|size|sha1|content|contentmodel';

/**
 * The latest revisions of pages in MediaWiki's export format. Pages whose revisions the site does not return are left
 * out.
 *
 * @throws ApiError `exporttoolarge` if the texts are too long.
 */
export const exportPages = async (
  pages: readonly ExistingPage[],
  schema: ExportSchema,
  context: RequestContext,
  { runSubquery, service }: ReaderParts,
): Promise<string> => {
  const exported: ExportPage[] = [];
  const room = { left: MAX_BYTES };
  for (let start = 0; start < pages.length; start += BATCH) {
    const batch = pages.slice(start, start + BATCH);
    const revisions = await latest(batch, room, context, runSubquery);
    const targets = await redirectsOf(batch, context, runSubquery);
    for (const { pageid, ns, title } of batch) {
      const revision = revisions.get(pageid);
      if (revision) exported.push({ pageid, ns, title, redirect: targets.get(title), revision });
    }
  }
  return exportXml(exported, service.site, schema);
};

/** The latest revision of each page, by page id. */
const latest = async (
  pages: readonly ExistingPage[],
  room: { left: number },
  context: RequestContext,
  runSubquery: RunSubquery,
): Promise<ReadonlyMap<number, ExportRevision>> => {
  const found = new Map<number, ExportRevision>();
  const pageids = pages.map(({ pageid }) => pageid);
  let next: Readonly<Record<string, string | number>> | undefined = {};
  // A site may return the pages in parts, but at least one page each time.
  for (let parts = 0; next && parts <= pageids.length; parts += 1) {
    const values = { rvslots: 'main', rvprop: PROPS, ...next };
    const answer = await runSubquery({ pageids, prop: ['revisions'], values }, context);
    for (const { pageid, revisions } of answer.query.pages ?? []) {
      const [revision] = (Array.isArray(revisions) ? revisions : []) as readonly ExportRevision[];
      if (pageid === undefined || !revision) continue;
      found.set(pageid, revision);
      room.left -= Buffer.byteLength(revision.slots?.main?.content ?? '');
      if (room.left < 0) throw apiError('exporttoolarge', { num: MAX_BYTES }).in('query');
    }
    next = answer.continue;
  }
  return found;
};

/** The targets of redirects, by title. */
const redirectsOf = async (
  pages: readonly ExistingPage[],
  context: RequestContext,
  runSubquery: RunSubquery,
): Promise<ReadonlyMap<string, string>> => {
  const { query } = await runSubquery({ pageids: pages.map(({ pageid }) => pageid), redirects: true }, context);
  return new Map((query.redirects ?? []).map(({ from, to }) => [String(from), String(to)]));
};
