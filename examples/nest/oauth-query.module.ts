/** The server as a module of NestJS, to copy: `OAuthQueryModule.forRoot(options)`, and `@RequireScope('photos.read')` on what it protects. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  applyDecorators,
  type CanActivate,
  type DynamicModule,
  type ExecutionContext,
  Inject,
  Module,
  UseGuards,
} from '@nestjs/common';
import type { Authorization } from 'oauth-query';
import { type OAuthQuery, oauthQuery, type OAuthQueryOptions } from 'oauth-query/node';

/** The server, for `app.use(app.get(OAUTH))`, and for `@Inject(OAUTH)` where grants are listed or tokens issued. */
export const OAUTH = Symbol('oauth-query');

/** A request that a guard let pass. */
export interface AuthorizedRequest extends IncomingMessage {
  auth?: Authorization;
}

@Module({})
export class OAuthQueryModule {
  static forRoot(options: OAuthQueryOptions): DynamicModule {
    return {
      module: OAuthQueryModule,
      global: true,
      providers: [{ provide: OAUTH, useFactory: () => oauthQuery(options) }],
      exports: [OAUTH],
    };
  }
}

/** Requires a token with these scopes, and sets `request.auth`. Without one, the response is the error of RFC 6750. */
export const RequireScope = (scope: string): ClassDecorator & MethodDecorator => {
  class ScopeGuard implements CanActivate {
    readonly #guard: ReturnType<OAuthQuery['guard']>;

    constructor(@Inject(OAUTH) oauth: OAuthQuery) {
      this.#guard = oauth.guard(scope);
    }

    async canActivate(context: ExecutionContext): Promise<boolean> {
      const http = context.switchToHttp();
      const request = http.getRequest<AuthorizedRequest>();
      let passes = false; // Not `request.auth`: the guard of the class may have set it.
      await this.#guard(request, http.getResponse<ServerResponse>(), (auth) => {
        request.auth = auth;
        passes = true;
      });
      return passes; // Otherwise the error has been sent.
    }
  }
  return applyDecorators(UseGuards(ScopeGuard));
};
