/**
 * The cases that every store must pass, for who writes one.
 *
 * @module oauth-query/testing
 */

export { storeContract } from './store-contract.js';
export type { ContractCase, StoreContractOptions, StorePlace } from './store-contract.js';
