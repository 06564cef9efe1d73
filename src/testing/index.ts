export { storeContract } from './store-contract.js';
export type { ContractCase, StoreContractOptions, StorePlace } from './store-contract.js';
