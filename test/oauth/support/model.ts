/**
 * What the protocol promises about codes, tokens and device codes, as a small machine without a store, without a
 * network and without hashes. Times are seconds.
 */

const CODE_LIFE = 60;
const ACCESS_LIFE = 3600;
const IDLE = 14 * 86_400;
const ABSOLUTE = 90 * 86_400;
const GRACE = 10;
const CLOCK_DIFFERENCE = 30;
const MAX_MISSES = 3;
const DEVICE_LIFE = 600;
const DEVICE_RETENTION = 120;
const MAX_EARLY_POLLS = 11;

export type Refreshing = 'none' | 'rotating' | 'reusable';

export interface Grant {
  readonly client: string;
  readonly refreshing: Refreshing;
  readonly end: number;
  revoked: boolean;
}

export interface Access {
  readonly kind: 'access';
  readonly grant: Grant | undefined;
  readonly client: string;
  readonly start: number;
  readonly end: number;
  revoked: boolean;
}

export interface Refresh {
  readonly kind: 'refresh';
  readonly grant: Grant;
  readonly client: string;
  readonly end: number;
  spent?: { readonly at: number; readonly scope: string; readonly successor: Issued; sent: number | undefined };
}

export interface Issued {
  readonly access: Access;
  readonly refresh?: Refresh;
}

export interface Code {
  readonly grant: Grant;
  readonly end: number;
  misses: number;
  spent: boolean;
}

export interface Device {
  readonly client: string;
  readonly refreshing: Refreshing;
  readonly end: number;
  early: number;
  nextPoll: number;
  decision?: { readonly grant: Grant | undefined };
  taken: boolean;
}

const setOf = (scope: string): string => scope.split(' ').toSorted().join(' ');

/** Tokens, or the name of an error. */
export type Outcome = Issued | string;

export class Model {
  now: number;
  readonly codes: Code[] = [];
  readonly accesses: Access[] = [];
  readonly refreshes: Refresh[] = [];
  readonly devices: Device[] = [];

  constructor(now: number) {
    this.now = now;
  }

  authorize(client: string, refreshing: Refreshing): Code {
    const code: Code = { grant: this.#grant(client, refreshing), end: this.now + CODE_LIFE, misses: 0, spent: false };
    this.codes.push(code);
    return code;
  }

  redeem(code: Code, client: string, verifierIsRight: boolean): Outcome {
    if (client !== code.grant.client) return 'invalid_grant';
    if (code.spent) {
      if (verifierIsRight) code.grant.revoked = true;
      return 'invalid_grant';
    }
    if (this.now >= code.end || code.misses >= MAX_MISSES) return 'invalid_grant';
    if (!verifierIsRight) {
      code.misses += 1;
      return 'invalid_grant';
    }
    code.spent = true;
    return this.#issue(code.grant);
  }

  /** @param isSent - Whether the answer leaves the process. */
  refresh(token: Refresh, client: string, scope: string, isSent: boolean): Outcome {
    const { grant, spent } = token;
    if (client !== grant.client || !this.#isLive(grant)) return 'invalid_grant';
    if (spent !== undefined) {
      const { successor } = spent;
      const isOpen = spent.sent === undefined && this.now < token.end;
      const isEarly = isOpen || this.now - (spent.sent ?? spent.at) < GRACE;
      if (isEarly && setOf(scope) === spent.scope && successor.refresh?.spent === undefined) {
        if (this.now >= (successor.refresh?.end ?? 0)) return 'invalid_grant';
        if (isSent) spent.sent ??= this.now;
        return this.now < successor.access.end ? successor : { ...successor, access: this.#access(grant) };
      }
      grant.revoked ||= this.now < token.end;
      return 'invalid_grant';
    }
    if (this.now >= token.end) return 'invalid_grant';
    if (grant.refreshing === 'reusable') return { access: this.#access(grant) };
    const successor = this.#issue(grant);
    token.spent = { at: this.now, scope: setOf(scope), successor, sent: isSent ? this.now : undefined };
    return successor;
  }

  /** What is left of a token's life; a repetition soon after says what the first answer said. */
  expiresIn({ start, end }: Access): number {
    return end - (this.now - start <= GRACE + CLOCK_DIFFERENCE ? start : this.now);
  }

  ownToken(client: string): Issued {
    const end = this.now + ACCESS_LIFE;
    const access: Access = { kind: 'access', grant: undefined, client, start: this.now, end, revoked: false };
    this.accesses.push(access);
    return { access };
  }

  isActive(token: Access | Refresh): boolean {
    if (token.grant !== undefined && !this.#isLive(token.grant)) return false;
    return this.now < token.end && (token.kind === 'access' ? !token.revoked : token.spent === undefined);
  }

  revoke(token: Access | Refresh, client: string): 'invalid_grant' | undefined {
    if (token.client !== client) return this.isActive(token) ? 'invalid_grant' : undefined;
    if (token.kind === 'access') token.revoked ||= this.isActive(token);
    else if (this.now < token.end) token.grant.revoked = true;
    return undefined;
  }

  startDevice(client: string, refreshing: Refreshing): Device {
    const device: Device = { client, refreshing, end: this.now + DEVICE_LIFE, early: 0, nextPoll: 0, taken: false };
    this.devices.push(device);
    return device;
  }

  awaitsDecision({ decision, end }: Device): boolean {
    return decision === undefined && this.now < end;
  }

  decide(device: Device, decision: 'approve' | 'deny'): void {
    device.decision = { grant: decision === 'approve' ? this.#grant(device.client, device.refreshing) : undefined };
  }

  poll(device: Device, client: string): Outcome {
    if (client !== device.client || this.now >= device.end + DEVICE_RETENTION) return 'invalid_grant';
    const { decision } = device;
    if (decision !== undefined && decision.grant === undefined) return 'access_denied';
    if (this.now >= device.end) return 'expired_token';
    if (decision?.grant === undefined) return this.#pace(device);
    if (device.taken || !this.#isLive(decision.grant)) return 'invalid_grant';
    device.taken = true;
    return this.#issue(decision.grant);
  }

  #pace(device: Device): string {
    const gap = (): number => Math.min(5 + 5 * device.early, 60);
    if (this.now >= device.nextPoll) {
      device.nextPoll = this.now + gap();
      return 'authorization_pending';
    }
    if (device.early < MAX_EARLY_POLLS) {
      device.early += 1;
      device.nextPoll = this.now + gap();
    }
    return 'slow_down';
  }

  #grant(client: string, refreshing: Refreshing): Grant {
    const life = refreshing === 'none' ? DEVICE_LIFE + ACCESS_LIFE : ABSOLUTE;
    return { client, refreshing, end: this.now + life, revoked: false };
  }

  #isLive(grant: Grant): boolean {
    return !grant.revoked && this.now < grant.end;
  }

  #issue(grant: Grant): Issued {
    const access = this.#access(grant);
    if (grant.refreshing === 'none') return { access };
    const end = grant.refreshing === 'reusable' ? grant.end : Math.min(this.now + IDLE, grant.end);
    const refresh: Refresh = { kind: 'refresh', grant, client: grant.client, end };
    this.refreshes.push(refresh);
    return { access, refresh };
  }

  #access(grant: Grant): Access {
    const end = Math.min(this.now + ACCESS_LIFE, grant.end);
    const access: Access = { kind: 'access', grant, client: grant.client, start: this.now, end, revoked: false };
    this.accesses.push(access);
    return access;
  }
}
