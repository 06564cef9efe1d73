/**
 * Spans and metrics of OpenTelemetry from the channels of oauth-query. Call it once, with
 * `trace.getTracer('oauth-query')` and `metrics.getMeter('oauth-query')` of `@opentelemetry/api`.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { OAuthEvent, RequestTrace } from 'oauth-query';

type Attributes = Record<string, string | number>;

/** The part of OpenTelemetry's `Tracer` that is used. */
export interface Tracer {
  startSpan(
    name: string,
    options: { kind: 1; attributes: Attributes },
  ): { setAttribute(name: string, value: number): unknown; setStatus(status: { code: 2 }): unknown; end(): void };
}

/** The part of OpenTelemetry's `Meter` that is used. */
export interface Meter {
  createHistogram(name: string, options: { unit: string }): { record(value: number, attributes: Attributes): void };
  createCounter(name: string): { add(value: number, attributes: Attributes): void };
}

const SERVER = 1; // SpanKind.SERVER
const ERROR = 2; // SpanStatusCode.ERROR

/** @returns A function that unsubscribes. */
export const follow = (tracer: Tracer, meter: Meter): (() => void) => {
  const durations = meter.createHistogram('http.server.request.duration', { unit: 's' });
  const events = meter.createCounter('oauth_query.events');
  const spans = new WeakMap<object, ReturnType<Tracer['startSpan']>>();

  const onStart = (message: unknown): void => {
    const trace = message as RequestTrace; // The documented type of the channel; likewise below.
    const { route, method, ip, request_id } = trace;
    const attributes = {
      'http.route': route,
      'http.request.method': method,
      'client.address': ip,
      'oauth_query.request_id': request_id,
    };
    spans.set(trace, tracer.startSpan(`${method} ${route}`, { kind: SERVER, attributes }));
  };
  const onEnd = (message: unknown): void => {
    const trace = message as RequestTrace;
    const { route, method, status = 0, duration = 0 } = trace;
    // Values chosen by callers, such as URLs, must not be labels.
    const labels = { 'http.route': route, 'http.request.method': method, 'http.response.status_code': status };
    durations.record(duration / 1000, labels);
    const span = spans.get(trace);
    span?.setAttribute('http.response.status_code', status);
    if (status >= 500) span?.setStatus({ code: ERROR });
    span?.end();
  };
  const onEvent = (message: unknown): void => {
    const { type, outcome } = message as OAuthEvent;
    events.add(1, { type, outcome });
  };

  const all = [
    ['oauth-query:request:start', onStart],
    ['oauth-query:request:end', onEnd],
    ['oauth-query:event', onEvent],
  ] as const;
  for (const [name, listener] of all) subscribe(name, listener);
  return () => {
    for (const [name, listener] of all) unsubscribe(name, listener);
  };
};
