import type { StoredClient, StoredClients } from '../../clients/index.js';

const PAGE = 50;

/** A page of clients. */
export type ClientPage = Awaited<ReturnType<StoredClients['list']>>;

/** How many clients one request looks at, so that a search stays fast however many there are. */
const MAX_SEARCHED = 1000;

const matches = ({ client_id, registration }: StoredClient, wanted: string): boolean =>
  client_id.toLowerCase().includes(wanted) || (registration.client_name ?? '').toLowerCase().includes(wanted);

/** A page of the clients whose name or identifier contains a text. The next page goes on where the search stopped. */
export const findClients = async (
  clients: StoredClients,
  search: string,
  after: string | undefined,
): Promise<ClientPage> => {
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return clients.list({ after, limit: PAGE });
  const exact = after === undefined ? await clients.get(search.trim()) : undefined;
  const found: StoredClient[] = exact === undefined ? [] : [exact];
  let next = after;
  for (let seen = 0; seen < MAX_SEARCHED && found.length < PAGE; seen += PAGE) {
    const page = await clients.list({ after: next, limit: PAGE });
    found.push(...page.clients.filter((one) => one.client_id !== exact?.client_id && matches(one, wanted)));
    next = page.next;
    if (next === undefined) break;
  }
  return { clients: found, ...(next !== undefined && { next }) };
};
