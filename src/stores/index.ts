/**
 * The contract of a store, for stores of your own, and the error that stores throw.
 *
 * @module oauth-query/store
 */

export type { Clock, ListPage, ListRequest, Revision, Store } from '../core/base/ports.js';
export { StoreError, type StoreErrorCode } from './store-error.js';
