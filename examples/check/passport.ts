/** A strategy for applications whose routes use `passport.authenticate(…)`. */
import type { Request } from 'express';
import type { TokenCheck } from 'oauth-query/guard';
import { Strategy } from 'passport';

export class TokenStrategy extends Strategy {
  override name = 'token';
  readonly check: TokenCheck;
  constructor(check: TokenCheck) {
    super();
    this.check = check;
  }
  override async authenticate(req: Request): Promise<void> {
    const { authorization, refused } = await this.check(/^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1], {
      scope: 'photos.read',
    });
    if (authorization) this.success(authorization);
    else this.fail(refused.headers['www-authenticate'] ?? '', refused.status);
  }
}
