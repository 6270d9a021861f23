import { mkdtempSync, rmSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashKey } from '../../../src/accounts/keys.js';
import type { DemoKeys } from '../../../src/features/demo/keys-file.js';
import { seedDemo } from '../../../src/features/demo/seed.js';
import { renderTemplate } from '../../../src/messages/compose/template/render.js';
import type { PrismaClient } from '../../../src/platform/generated/prisma/client.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { openTestStore, type TestStore } from '../../support/open-test-store.js';

let store: TestStore;
let prisma: PrismaClient;
let dataDir: string;
let outputLines: string[];

const seed = (client: PrismaClient = prisma) =>
  seedDemo({
    prisma: client,
    clock: systemClock,
    dataDir,
    baseUrl: 'http://127.0.0.1:3000',
    announce: (text) => outputLines.push(text),
  });
const readKeys = async () => JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as DemoKeys;

describe('the demo seed', () => {
  beforeEach(async () => {
    store = await openTestStore();
    prisma = store.prisma;
    dataDir = mkdtempSync(join(tmpdir(), 'heliograph-seed-'));
    outputLines = [];
  });

  afterEach(async () => {
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('the demo seed creates an account with credit for a million SMS parts, a channel and working keys', async () => {
    expect(await seed()).toBe(true);
    const keys = await readKeys();

    const account = await prisma.account.findFirstOrThrow({ include: { channels: true } });
    expect(account).toMatchObject({ currency: 'USD', balanceMicros: 10_000_000_000n, rateCardId: 'standard' });
    expect(await prisma.ledgerEntry.findMany({ where: { accountId: account.id } })).toMatchObject([
      { kind: 'credit', amountMicros: 10_000_000_000n, balanceAfterMicros: 10_000_000_000n },
    ]);
    expect(account.channels).toMatchObject([
      { id: keys.surfaceB.channelId, kind: 'whatsapp', carrier: 'simulator', isDefault: true, isActive: true },
    ]);
    const appKey = await prisma.apiKey.findUniqueOrThrow({ where: { keyHash: hashKey(keys.surfaceA.apiKey) } });
    expect(appKey).toMatchObject({ surface: 'a', scopes: ['rest'], accountId: account.id, revokedAt: null });
    const channelKey = await prisma.apiKey.findUniqueOrThrow({
      where: { keyHash: hashKey(keys.surfaceB.apiKey) },
      include: { channels: true },
    });
    expect(channelKey).toMatchObject({ surface: 'b', channels: [{ channelId: keys.surfaceB.channelId }] });
    expect(Buffer.from(channelKey.secretHash ?? [])).toEqual(hashKey(keys.surfaceB.apiSecret));
  });

  it('the demo seed writes demo.json in its fixed shape, private, and leaves no temporary file', async () => {
    await seed();
    expect(await readKeys()).toEqual({
      baseUrl: 'http://127.0.0.1:3000',
      surfaceA: { apiKey: expect.stringMatching(/^hg_live_[\w-]{43}$/) },
      surfaceB: {
        apiKey: expect.stringMatching(/^hg_live_[\w-]{43}$/),
        apiSecret: expect.stringMatching(/^hg_secret_[\w-]{43}$/),
        channelId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
      console: {
        signInUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/console\/sign-in#token=[\w-]{43}$/),
      },
    });
    expect((await stat(join(dataDir, 'demo.json'))).mode & 0o777).toBe(0o600);
    expect(await readdir(dataDir)).toEqual(['demo.json']);
  });

  it('the demo seed creates an owner with a sign-in link that is valid for a week', async () => {
    await seed();
    const operator = await prisma.operator.findFirstOrThrow({ include: { grants: true, signInLinks: true } });
    expect(operator).toMatchObject({ name: 'admin', passwordHash: null, grants: [{ role: 'owner', accountId: null }] });
    const token = (await readKeys()).console?.signInUrl.split('#token=')[1] ?? '';
    expect(operator.signInLinks.map(({ tokenHash }) => Buffer.from(tokenHash))).toEqual([hashKey(token)]);
    const days = ((operator.signInLinks[0]?.expiresAt.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
  });

  it('the demo seed shows each key once', async () => {
    await seed();
    const { surfaceA, surfaceB, console: shown } = await readKeys();
    expect(outputLines).toHaveLength(1);
    for (const secret of [
      surfaceA.apiKey,
      surfaceB.apiKey,
      surfaceB.apiSecret,
      surfaceB.channelId,
      shown?.signInUrl ?? '',
    ]) {
      expect(outputLines[0]?.split(secret)).toHaveLength(2);
    }
  });

  it('the demo seed creates approved templates that render, one pending and one rejected', async () => {
    await seed();
    const templates = await prisma.template.findMany();
    const approved = templates.filter((template) => template.status === 'APPROVED');
    expect(approved.map((template) => `${template.name} ${template.language}`).sort()).toEqual([
      'appointment_reminder en_US',
      'delivery_scheduled en_US',
      'hello_world en_US',
      'new_arrivals en_US',
      'order_update de',
      'order_update en_US',
      'seasonal_promotion en_US',
      'weekend_offer en_US',
    ]);
    expect(templates.filter((template) => template.status === 'PENDING')).toHaveLength(1);
    expect(templates.filter((template) => template.status === 'REJECTED')).toHaveLength(1);

    const renderProblems = (name: string, ...texts: string[]) => {
      const components = [{ type: 'body', parameters: texts.map((text) => ({ type: 'text', text })) }];
      return renderTemplate(approved.find((template) => template.name === name)?.components, components).problems;
    };
    expect(renderProblems('hello_world')).toEqual([]);
    expect(renderProblems('order_update', 'A-17')).toEqual([]);
    expect(renderProblems('appointment_reminder', 'Ada', 'Monday', '9:00')).toEqual([]);
    expect(renderProblems('seasonal_promotion', 'Ada', '20')).toEqual([]);
  });

  it('the demo seed creates contacts and groups with members and counts', async () => {
    await seed();
    const channel = await prisma.channel.findFirstOrThrow({ include: { contacts: true, groups: true } });
    expect(channel.contacts.length).toBeGreaterThan(3);
    expect(channel.contactCount).toBe(channel.contacts.length);
    expect(channel.contacts.every((contact) => /^1500555015\d$/.test(contact.phone ?? ''))).toBe(true);
    expect(channel.groups.map((group) => group.name).sort()).toEqual(['Customers', 'Newsletter']);
    for (const { id, contactCount } of channel.groups) {
      expect(contactCount).toBeGreaterThan(1);
      expect(await prisma.groupMember.count({ where: { groupId: id } })).toBe(contactCount);
    }
  });

  it('the demo seed creates a completed campaign that reached each member of its group without a charge', async () => {
    await seed();
    const campaign = await prisma.campaign.findFirstOrThrow();
    expect(campaign).toMatchObject({ status: 'completed', nextLook: null, errorMessage: null });
    expect(campaign.completedAt).not.toBeNull();
    const members = await prisma.groupMember.findMany({ where: { groupId: campaign.groupId as string } });
    const messages = await prisma.message.findMany({ where: { campaignId: campaign.id } });
    expect(campaign.messageCount).toBe(members.length);
    expect(messages.map(({ contactId }) => contactId).sort()).toEqual(members.map(({ contactId }) => contactId).sort());
    for (const { status, nextLook, conversationId, contactId, body, carrierMessageId } of messages) {
      expect({ status, nextLook }).toEqual({ status: 'delivered', nextLook: null });
      expect(body).toMatch(/^Welcome/);
      expect(carrierMessageId).toMatch(/^wamid\./);
      const conversation = await prisma.conversation.findUniqueOrThrow({ where: { id: conversationId ?? '' } });
      expect(conversation.contactId).toBe(contactId);
    }
    expect((await prisma.account.findFirstOrThrow()).balanceMicros).toBe(10_000_000_000n);
  });

  it('the demo seed runs only once: a second start changes neither the database nor demo.json', async () => {
    await seed();
    const firstContent = await readFile(join(dataDir, 'demo.json'), 'utf8');
    expect(await seed()).toBe(false);
    expect(await readFile(join(dataDir, 'demo.json'), 'utf8')).toBe(firstContent);
    expect(await prisma.account.count()).toBe(1);
    expect(outputLines).toHaveLength(1);
  });

  it('the demo seed does not run if another account exists', async () => {
    await prisma.account.create({
      data: { id: crypto.randomUUID(), name: 'A', currency: 'USD', rateCardId: 'standard' },
    });
    expect(await seed()).toBe(false);
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('the demo seed runs once for processes that start together', async () => {
    const results = await Promise.all([seed(), seed(), seed()]);
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await prisma.account.count()).toBe(1);
    const { surfaceA } = await readKeys();
    expect(await prisma.apiKey.count({ where: { keyHash: hashKey(surfaceA.apiKey) } })).toBe(1);
  });

  it('the demo seed creates no account when demo.json cannot be written', async () => {
    await rm(dataDir, { recursive: true });
    await writeFile(dataDir, 'a file where the folder should be');
    await expect(seed()).rejects.toThrow();
    expect(await prisma.account.count()).toBe(0);
    expect(outputLines).toEqual([]);
  });

  it('the demo seed creates new keys after a crash between demo.json and the commit', async () => {
    await mkdir(dataDir, { recursive: true });
    await writeFile(join(dataDir, 'demo.json'), '{"surfaceA":{"apiKey":"stale"}}');
    await writeFile(join(dataDir, 'demo.json.new'), 'half a fi', { mode: 0o644 });
    await chmod(join(dataDir, 'demo.json'), 0o644);
    expect(await seed()).toBe(true);
    const { surfaceA } = await readKeys();
    expect(await prisma.apiKey.count({ where: { keyHash: hashKey(surfaceA.apiKey) } })).toBe(1);
    expect((await stat(join(dataDir, 'demo.json'))).mode & 0o777).toBe(0o600);
  });

  it('the demo seed writes demo.json before the account is visible', async () => {
    let accountsWhenWritten: number | undefined;
    // Code inside the observed transaction must not take a second connection from the pool, so the observer opens its own.
    const observerClient = new pg.Client({ connectionString: store.url });
    await observerClient.connect();
    const countAccounts = async () => {
      const { rows } = await observerClient.query<{ count: number }>('SELECT count(*)::int AS count FROM accounts');
      return rows[0]?.count;
    };
    const checkpoint = new Proxy(prisma, {
      get(target, property) {
        if (property !== '$transaction') return Reflect.get(target, property);
        return (work: (transaction: unknown) => Promise<unknown>, options: object) =>
          target.$transaction(async (transaction) => {
            const result = await work(transaction);
            expect(await readdir(dataDir)).toEqual(['demo.json']);
            accountsWhenWritten = await countAccounts();
            return result;
          }, options);
      },
    });
    await seed(checkpoint);
    expect(accountsWhenWritten).toBe(0);
    expect(await countAccounts()).toBe(1);
    await observerClient.end();
  });
});
