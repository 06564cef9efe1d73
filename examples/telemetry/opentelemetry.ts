/** Spans and metrics of OpenTelemetry, with `trace.getTracer(…)` and `metrics.getMeter(…)` of `@opentelemetry/api`. */
import { subscribe } from 'node:diagnostics_channel';
import type { OAuthEvent, RequestTrace } from 'oauth-query';

interface Span {
  setAttribute(name: string, value: number): unknown;
  setStatus(status: { code: 2 }): unknown;
  end(): void;
}

type Attributes = Record<string, string | number>;

interface Tracer {
  startSpan(name: string, options: { kind: 1; attributes: Attributes }): Span;
}

interface Meter {
  createHistogram(name: string, options: { unit: string }): { record(value: number, attributes: Attributes): void };
  createCounter(name: string): { add(value: number, attributes: Attributes): void };
}

export const observe = (tracer: Tracer, meter: Meter): void => {
  const durations = meter.createHistogram('http.server.request.duration', { unit: 's' });
  const events = meter.createCounter('oauth_query.events');
  const spans = new WeakMap<object, ReturnType<typeof tracer.startSpan>>();

  subscribe('oauth-query:request:start', (message) => {
    const { route, method, ip, request_id } = message as RequestTrace;
    const attributes = {
      'http.route': route,
      'http.request.method': method,
      'client.address': ip,
      'oauth_query.request_id': request_id,
    };
    spans.set(message as object, tracer.startSpan(`${method} ${route}`, { kind: 1, attributes })); // of a server
  });
  subscribe('oauth-query:request:end', (message) => {
    const { route, method, status = 0, duration = 0 } = message as RequestTrace;
    durations.record(duration / 1000, {
      'http.route': route,
      'http.request.method': method,
      'http.response.status_code': status,
    });
    const span = spans.get(message as object);
    span?.setAttribute('http.response.status_code', status);
    if (status >= 500) span?.setStatus({ code: 2 }); // an error
    span?.end();
  });
  subscribe('oauth-query:event', (message) => {
    const { type, outcome } = message as OAuthEvent;
    events.add(1, { type, outcome });
  });
};
