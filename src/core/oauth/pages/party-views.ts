import { defined } from '../../base/defined.js';
import type { Client, ClientLinks } from '../clients/client.js';
import type { Owner } from '../records/owner.js';
import type { AccountView } from './views.js';

/** An owner as pages show them: an address that is the name is not shown twice. */
export const accountView = ({ sub, username = sub, email }: Owner): AccountView => ({
  username,
  ...defined({ email: email === username ? undefined : email }),
});

/** A client as pages show it. Its logo is only shown if loading it reveals nothing: in the page itself, or from the host of the issuer. */
export const clientView = (
  { client_id, name, links: { logoUri, ...links } }: Client,
  issuer: string,
): ClientLinks & { readonly clientId: string; readonly clientName: string } => {
  const isShown =
    logoUri !== undefined && (logoUri.startsWith('data:') || new URL(logoUri).origin === new URL(issuer).origin);
  return { clientId: client_id, clientName: name, ...links, ...(isShown && { logoUri }) };
};
