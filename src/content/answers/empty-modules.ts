import { badContinue, type ListHandler, type ModuleHandlers, type PropHandler } from '../../core/query/index.js';

/** @throws ApiError `badcontinue`, because these lists have no continuation. */
const endAtOnce = (next: string | undefined): void => {
  if (next !== undefined) throw badContinue();
};

const emptyList: ListHandler<unknown> = ({ continue: next }) => {
  endAtOnce(next);
  return [];
};

const nothingOfPages: PropHandler<unknown> = ({ continue: next }) => {
  endAtOnce(next);
  return { pages: new Map() };
};

/**
 * Modules that are always empty: logs, deleted pages, blocks, protected titles, tags, gadgets. Without a handler,
 * clients would receive a warning.
 */
export const emptyModules: ModuleHandlers = {
  alldeletedrevisions: emptyList,
  // Signing in and registering are not possible with the query API: tokens come from the authorization server.
  authmanagerinfo: ({ params }) => ({
    data: {
      canauthenticatenow: false,
      cancreateaccounts: false,
      canlinkaccounts: false,
      ...(params.securitysensitiveoperation !== undefined && { securitysensitiveoperationstatus: 'fail' }),
      ...(params.requestsfor !== undefined && { preservedusername: false, requests: [] }),
    },
  }),
  blocks: emptyList,
  deletedrevisions: nothingOfPages,
  deletedrevs: emptyList,
  duplicatefiles: nothingOfPages,
  filearchive: emptyList,
  filerepoinfo: () => ({ data: [] }),
  gadgetcategories: emptyList,
  gadgets: emptyList,
  logevents: emptyList,
  mystashedfiles: emptyList,
  pageimages: nothingOfPages,
  protectedtitles: emptyList,
  // Its continue value is the name of a tag, which may have been removed.
  tags: () => [],
};
