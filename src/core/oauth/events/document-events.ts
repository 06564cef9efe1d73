/** The events about clients that publish a document at their `client_id`. */
export type ClientDocumentEvent =
  | {
      /** The document of a client, or its keys, was fetched and accepted. */
      readonly type: 'client.document_fetched';
      /** The client, identified by the URL of the document. */
      readonly client_id: string;
      /** The fetched URL: the `client_id`, or the `jwks_uri` of its document. */
      readonly address: string;
      /** The duration in milliseconds. */
      readonly duration: number;
    }
  | {
      /** The document of a client, or its keys, could not be fetched or was not accepted. */
      readonly type: 'client.document_failed';
      /** The client, identified by the URL of the document. */
      readonly client_id: string;
      /** The fetched URL: the `client_id`, or the `jwks_uri` of its document. */
      readonly address: string;
      /** `unavailable`: no usable response. `refused`: the document is invalid, or `trust` rejected it. */
      readonly reason: 'unavailable' | 'refused';
      /** Why, as a sentence. */
      readonly message: string;
      /** The duration in milliseconds. */
      readonly duration: number;
      /** Whether the last valid document is used instead. */
      readonly fallback: boolean;
    }
  | {
      /** A client changed its document since it was last read. Its grants are not affected. */
      readonly type: 'client.document_changed';
      /** The client, identified by the URL of the document. */
      readonly client_id: string;
      /** The changed parts. */
      readonly changed: readonly ('redirect_uris' | 'keys')[];
    };
