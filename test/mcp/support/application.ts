import { randomUUID } from 'node:crypto';
import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';

export const CALLBACK = 'http://127.0.0.1:33418/callback';

/** What an application keeps for its SDK, in memory; the provider that every SDK asks for. */
export class Application implements OAuthClientProvider {
  readonly clientMetadata: OAuthClientMetadata;
  /** Where it publishes its metadata, if it does. */
  clientMetadataUrl?: string;
  /** Where the browser was last sent. */
  sentTo: URL | undefined;
  registered: OAuthClientInformationMixed | undefined;
  stored: OAuthTokens | undefined;
  readonly invalidated: string[] = [];
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = '';
  #state = '';

  constructor(metadata: Partial<OAuthClientMetadata> = {}) {
    this.clientMetadata = { client_name: 'Test client', redirect_uris: [CALLBACK], ...metadata };
  }

  get redirectUrl(): string {
    return this.clientMetadata.redirect_uris[0] ?? CALLBACK;
  }

  state(): string {
    return (this.#state = randomUUID());
  }

  /** The last one, to compare with what comes back. */
  get expectedState(): string {
    return this.#state;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.registered;
  }

  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.registered = information;
  }

  tokens(): OAuthTokens | undefined {
    return this.stored;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.stored = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.sentTo = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    this.invalidated.push(scope);
    if (scope === 'all' || scope === 'client') this.registered = undefined;
    if (scope === 'all' || scope === 'tokens') this.stored = undefined;
  }
}
