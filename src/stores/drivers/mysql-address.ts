import { decode, type HostPort, hostsOf, wrong } from './address.js';

/** The servers of a MariaDB or MySQL, several of a Galera cluster, and the credentials for them. */
export interface MysqlAddress {
  readonly hosts: readonly HostPort[];
  readonly username: string;
  readonly password: string;
  readonly database: string;
  readonly tls: boolean;
}

const FORM =
  /^(?:mysql|mariadb):\/\/(?<user>[^:/@]+)(?::(?<password>[^/@]*))?@(?<hosts>[^/@?]+)\/(?<database>[^/?]+)(?<tls>\?ssl=true)?$/;

/**
 * Parses `mysql://user:password@host:3306/database`, also with several hosts, and with `?ssl=true` for TLS.
 *
 * @throws TypeError for anything else; the message never quotes parts that may be secret.
 */
export function parseMysqlAddress(url: string): MysqlAddress {
  const { user, password = '', hosts, database, tls } = FORM.exec(url)?.groups ?? {};
  if (user === undefined || hosts === undefined || database === undefined) throw malformed();
  return {
    hosts: hostsOf(hosts, 3_306, malformed),
    username: decode(user, malformed),
    password: decode(password, malformed),
    database: decode(database, malformed),
    tls: tls !== undefined,
  };
}

const malformed = (): TypeError =>
  wrong(
    'the URL of MariaDB or MySQL must look like mariadb://user:password@host:3306/database, with several hosts separated by commas for the ' +
      'nodes of a Galera cluster, and with ?ssl=true for TLS; percent-encode special characters of a user name or a password',
  );
