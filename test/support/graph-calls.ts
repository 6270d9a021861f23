import { toPhoneNumberId } from '../../src/features/channels/graph-ids.js';
import type { ChannelHeaders, TestChannel } from './channels.js';
import type { TestApp } from './test-app.js';

type Method = 'GET' | 'POST' | 'DELETE';

export function buildToken({ headers }: { headers: Pick<ChannelHeaders, 'x-api-key' | 'x-api-secret'> }): string {
  return `${headers['x-api-key']}.${headers['x-api-secret']}`;
}

/** @param path starts after the version */
export function callGraph(
  { app }: Pick<TestApp, 'app'>,
  channel: Pick<TestChannel, 'headers'>,
  method: Method,
  path: string,
  payload?: object,
  extra: Record<string, string> = {},
) {
  const headers = { authorization: `Bearer ${buildToken(channel)}`, ...extra };
  return app.inject({ method, url: `/graph/v26.0${path}`, headers, payload });
}

/** Reads the IDs by which clients of Meta's API address a channel. */
export async function readGraphIds(
  heliograph: Pick<TestApp, 'app' | 'deps'>,
  channel: Pick<TestChannel, 'channelId' | 'headers'>,
): Promise<{ phoneNumberId: string; businessAccountId: string }> {
  const row = await heliograph.deps.prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } });
  const { data } = (await heliograph.app.inject({ url: '/api/v1/account', headers: channel.headers })).json();
  const { businessAccountId } = data.channel.graph;
  return { phoneNumberId: toPhoneNumberId(row), businessAccountId };
}
