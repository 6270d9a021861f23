import type { LightMyRequestResponse } from 'fastify';
import type { ChannelHeaders } from '../../support/channels.js';
import type { TestApp } from '../../support/test-app.js';
import type { ChannelResources } from './channel-resources.js';
import type { SecuredRoute } from './security-table.js';

export interface SecuredRequest {
  headers: Partial<ChannelHeaders>;
  path?: Partial<ChannelResources>;
  body?: object;
  query?: Record<string, string>;
}

export function sendSecuredRequest(
  { app }: Pick<TestApp, 'app'>,
  { route, path = {}, form }: SecuredRoute,
  request: SecuredRequest,
): Promise<LightMyRequestResponse> {
  const [method, pattern = ''] = route.split(' ');
  const url = pattern.replace(
    /:(\w+)/g,
    (_, name: string) => request.path?.[path[name] as keyof ChannelResources] ?? '',
  );
  return app.inject({
    method: method as 'GET',
    url: request.query ? `${url}?${new URLSearchParams(request.query)}` : url,
    headers: { ...request.headers, ...form?.headers },
    payload: form?.payload ?? request.body,
  });
}
