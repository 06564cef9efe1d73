/**
 * For tests: an authorization server that creates tokens on demand, one for the tests of a feature, and the contract cases for stores and content sources.
 *
 * @module oauth-query/testing
 */

export { contentContract, type ContentPlace } from './content-contract.js';
export { CONTRACT_PAGES } from './content-pages.js';
export { storeContract } from './store-contract.js';
export type { StorePlace } from './bench.js';
export type { ContractCase, StoreContractOptions } from './store-contract.js';
export { testAuthorizationServer } from './authorization-server.js';
export type { TestAuthorizationServer } from './authorization-server.js';
export { featureServer } from './feature-server.js';
export type { FeatureServer } from './feature-server.js';
export { weakStore } from './weak-store.js';
export type { WeakStore } from './weak-store.js';
