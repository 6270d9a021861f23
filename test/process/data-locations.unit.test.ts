import { expect, it } from 'vitest';
import { describeDataLocations } from '../../src/process/startup/data-locations.js';

it('describeDataLocations names the folder of the embedded store', () => {
  const config = { dataDir: '/srv/.data', databaseUrl: undefined, redisUrl: undefined };
  expect(describeDataLocations(config, '/var/lib/heliograph/data/1f')).toBe(
    'Data folder: /srv/.data; store: embedded PostgreSQL in /var/lib/heliograph/data/1f; queue: in the store',
  );
});

it.each([
  ['postgresql://user:secret@db.example:5433/shop?sslmode=require', 'db.example:5433/shop'],
  ['postgresql:///shop?host=/run/postgresql', '/run/postgresql/shop'],
  ['postgresql://user:sec#ret', 'the PostgreSQL of DATABASE_URL'],
])('describeDataLocations shows %s without the password', (databaseUrl, location) => {
  const redisUrl = 'redis://:secret@cache.example:6379/2';
  expect(describeDataLocations({ dataDir: '/d', databaseUrl, redisUrl }, null)).toBe(
    `Data folder: /d; store: PostgreSQL at ${location}; queue: Redis at cache.example:6379/2`,
  );
});
