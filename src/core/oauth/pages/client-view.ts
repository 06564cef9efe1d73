import type { Client, ClientLinks } from '../clients/client.js';

/** A client as pages show it. Its picture only where loading it tells nobody who is asked: it is in the page, or on the host of the issuer. */
export const clientView = (
  { client_id, name, links: { logoUri, ...links } }: Client,
  issuer: string,
): ClientLinks & { readonly clientId: string; readonly clientName: string } => {
  const isShown =
    logoUri !== undefined && (logoUri.startsWith('data:') || new URL(logoUri).origin === new URL(issuer).origin);
  return { clientId: client_id, clientName: name, ...links, ...(isShown && { logoUri }) };
};
