import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

interface Service {
  image?: string;
  build?: { context: string; args: Record<string, string> };
  environment?: Record<string, string>;
  command?: string[];
  healthcheck?: { test: string[] };
  volumes: string[];
  ports?: { target: number; published: string; host_ip: string }[];
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  profiles?: string[];
  depends_on?: Record<string, { condition: string }>;
}

interface ComposeFile {
  services: Record<'server' | 'postgres' | 'redis' | 'prometheus' | 'grafana', Service>;
  volumes: Record<string, unknown>;
}

const read = (path: string) => readFileSync(join(PROJECT_FOLDER, path), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true }) as ComposeFile;
const { server, postgres, redis, prometheus, grafana } = compose.services;

describe('docker-compose.yml', () => {
  it('is valid by the published JSON schema of the Compose Specification', () => {
    const schema = JSON.parse(read('node_modules/dclint/schemas/compose.schema.json'));
    // Ajv does not know the Compose Specification's formats, such as `duration`.
    const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, validateFormats: false });
    const { $schema: _draft, ...draft7 } = schema;
    const validate = ajv.compile(draft7);
    expect(validate(compose), ajv.errorsText(validate.errors)).toBe(true);
    expect(validate({ ...compose, services: { server: { ...server, ports: 3000 } } })).toBe(false);
  });

  it('waits for a healthy store and a healthy queue before the server starts', () => {
    expect(server.depends_on).toEqual({
      postgres: { condition: 'service_healthy' },
      redis: { condition: 'service_healthy' },
    });
    expect(postgres.healthcheck?.test.join(' ')).toContain('pg_isready');
    expect(redis.healthcheck?.test.join(' ')).toContain('ping');
    expect(read('Dockerfile')).toMatch(/^HEALTHCHECK .*\n.*\/health\/ready/m);
  });

  it('gives the server the credentials of the store, and by default no demo account', () => {
    const url = new URL(String(server.environment?.DATABASE_URL));
    expect(url.username).toBe(postgres.environment?.POSTGRES_USER);
    expect(url.pathname).toBe(`/${postgres.environment?.POSTGRES_DB}`);
    expect(url.hostname).toBe('postgres');
    // The URL contains no password, because some characters would need to be encoded there.
    expect(url.password).toBe('');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Compose
    expect(server.environment?.DATABASE_PASSWORD).toBe('${POSTGRES_PASSWORD:-heliograph}');
    expect(postgres.environment?.POSTGRES_PASSWORD).toBe(server.environment?.DATABASE_PASSWORD);
    expect(new URL(String(server.environment?.REDIS_URL)).hostname).toBe('redis');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Compose
    expect(server.environment?.SEED_DEMO).toBe('${SEED_DEMO:-false}');
  });

  it('runs Redis with an append-only file and without eviction', () => {
    const command = redis.command?.join(' ');
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--maxmemory-policy noeviction');
  });

  it('keeps persistent data in named volumes at the paths to which each image writes', () => {
    expect(server.volumes).toContain('server-data:/data');
    expect(postgres.volumes).toContain('postgres-data:/var/lib/postgresql');
    expect(redis.volumes).toContain('redis-data:/data');
    expect(Object.keys(compose.volumes)).toEqual([
      'grafana-data',
      'postgres-data',
      'prometheus-data',
      'redis-data',
      'server-data',
    ]);
  });

  it.each(Object.entries(compose.services))('gives %s a read-only root and no capabilities', (_name, service) => {
    expect(service.read_only).toBe(true);
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.cap_add).toBeUndefined();
    expect(service.security_opt).toContain('no-new-privileges:true');
  });

  it('publishes the server on loopback by default, and Grafana on loopback only', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of Compose
    expect(server.ports).toEqual([{ target: 3000, published: '${PORT:-3000}', host_ip: '${PUBLISH:-127.0.0.1}' }]);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Compose
    expect(server.environment?.LOCAL_URL).toBe('http://127.0.0.1:${PORT:-3000}');
    expect(postgres.ports).toBeUndefined();
    expect(redis.ports).toBeUndefined();
    expect(prometheus.ports).toBeUndefined();
    expect(grafana.ports).toMatchObject([{ host_ip: '127.0.0.1' }]);
  });

  it('scrapes the server only with the profile, at the port of its metrics', () => {
    expect([prometheus, grafana].map(({ profiles }) => profiles)).toEqual([['metrics'], ['metrics']]);
    const { scrape_configs: jobs } = parse(read('deploy/prometheus/prometheus.yml'));
    expect(jobs[0].static_configs[0].targets).toEqual([`server:${server.environment?.METRICS_PORT}`]);
    expect(prometheus.volumes).toContain('./deploy/prometheus:/etc/prometheus:ro');
    expect(grafana.volumes).toContain('./deploy/grafana/provisioning:/etc/grafana/provisioning:ro');
    const { providers } = parse(read('deploy/grafana/provisioning/dashboards/heliograph.yml'));
    expect(grafana.volumes).toContain(`./deploy/grafana/dashboards:${providers[0].options.path}:ro`);
  });
});
