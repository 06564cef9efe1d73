/**
 * Registries for `options.clients`: clients in the server's store, with methods for an admin page or a program to add, change and
 * remove them; and clients that publish a document about themselves.
 *
 * @module oauth-query/clients
 */

export type { ClientDocument } from './documents/client-document.js';
export { clientDocuments, type ClientDocumentsOptions } from './documents/client-documents.js';
export { fetchClientDocument, type FetchDocument } from './documents/fetch-document.js';
export type {
  AddClientOptions,
  ClientChanges,
  NewClientRegistration,
  StoredClient,
  StoredClients,
  StoredClientsOptions,
  WithSecret,
} from './stored-client.js';
export { StoredClientError, type StoredClientErrorCode } from './stored-client-error.js';
export { storedClients } from './stored-clients.js';
