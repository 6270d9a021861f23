import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readBuiltOpenApi } from '../../support/openapi-document.js';
import { PROJECT_FOLDER } from '../../support/processes/server-process.js';
import { type KubernetesObject, parseObjects, projectFile, typeErrors } from './objects.js';

interface Container {
  name: string;
  image: string;
  command?: string[];
  env: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  lifecycle: { preStop: { exec: { command: string[] } } };
  securityContext: Record<string, unknown>;
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } };
}

interface PodTemplate {
  metadata: { labels: Record<string, string> };
  spec: { containers: [Container]; terminationGracePeriodSeconds: number; securityContext: Record<string, unknown> };
}

const BASE = 'deploy/kubernetes/base';
const AUTOSCALING = 'deploy/kubernetes/autoscaling';
const objects = parseObjects(projectFile(`${BASE}/heliograph.yaml`));
const [autoscaler] = parseObjects(projectFile(`${AUTOSCALING}/worker.yaml`)) as [KubernetesObject];
const findByKind = (kind: string) => objects.filter((object) => object.kind === kind);
const deployments = findByKind('Deployment');
const getPod = (object: KubernetesObject) => object.spec.template as PodTemplate;
const getContainer = (object: KubernetesObject) => getPod(object).spec.containers[0];
const getSetting = (object: KubernetesObject, name: string) =>
  getContainer(object).env.find((variable) => variable.name === name)?.value;
const readDefault = (name: string) => new RegExp(`^#${name}=(.*)$`, 'm').exec(projectFile('.env.example'))?.[1];

describe('the manifests for Kubernetes', () => {
  it('match the API: no unknown or missing fields, no wrong types', () => {
    expect(typeErrors([...objects, autoscaler])).toBe('');
    const broken = [{ readynessProbe: {} }, { ports: [{ containerPort: '3000' }] }, { name: undefined }].map((part) => {
      const [deployment] = structuredClone(deployments) as [KubernetesObject];
      Object.assign(getContainer(deployment), part);
      return deployment;
    });
    const errors = typeErrors(broken);
    expect(errors).toContain(`'"readynessProbe"' does not exist`);
    expect(errors).toContain("Type 'string' is not assignable to type 'number'");
    expect(errors).toContain("Property 'name' is missing");
  });

  it('contain a deployment per role, a migration job, a service and the disruption budgets', () => {
    expect(deployments.map((deployment) => getSetting(deployment, 'ROLE'))).toEqual(['api', 'worker']);
    expect(findByKind('Job').map((job) => getContainer(job).command)).toEqual([['heliograph', 'migrate']]);
    expect(objects.map(({ kind }) => kind).sort()).toEqual(
      ['Deployment', 'Deployment', 'Job', 'PodDisruptionBudget', 'PodDisruptionBudget', 'Service'].sort(),
    );
  });

  it('set only existing settings', () => {
    const names = [...deployments, ...findByKind('Job')].flatMap((workload) =>
      getContainer(workload).env.map(({ name }) => name),
    );
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => readDefault(name) === undefined)).toEqual([]);
  });

  it('select existing pods and refer to existing names', () => {
    const matches = (selector: Record<string, string>, labels: Record<string, string>) =>
      Object.entries(selector).every(([name, value]) => labels[name] === value);
    const selectors = [...deployments, ...findByKind('PodDisruptionBudget')].map(
      ({ spec }) => (spec.selector as { matchLabels: Record<string, string> }).matchLabels,
    );
    const service = findByKind('Service')[0] as KubernetesObject;
    for (const selector of [...selectors, service.spec.selector as Record<string, string>]) {
      expect(deployments.filter((deployment) => matches(selector, getPod(deployment).metadata.labels))).toHaveLength(1);
      expect(findByKind('Job').filter((job) => matches(selector, getPod(job).metadata.labels))).toEqual([]);
    }
    expect((autoscaler.spec.scaleTargetRef as { name: string }).name).toBe(deployments[1]?.metadata.name);
  });

  it.each(deployments.map((deployment) => [deployment.metadata.name, deployment] as const))(
    'probe %s at the port and paths that it serves',
    (_name, deployment) => {
      const { paths } = readBuiltOpenApi<{ paths: Record<string, object> }>();
      const { ports, livenessProbe, readinessProbe, startupProbe } = getContainer(deployment);
      expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet)).toEqual([
        { path: '/health/live', port: 'http' },
        { path: '/health/live', port: 'http' },
        { path: '/health/ready', port: 'http' },
      ]);
      expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/health/live', '/health/ready']));
      expect(Object.fromEntries(ports.map((port) => [port.name, String(port.containerPort)]))).toEqual({
        http: getSetting(deployment, 'PORT'),
        metrics: getSetting(deployment, 'METRICS_PORT'),
      });
    },
  );

  it.each(deployments.map((deployment) => [deployment.metadata.name, deployment] as const))(
    'let %s stop in time',
    (_name, deployment) => {
      const [, seconds] = getContainer(deployment).lifecycle.preStop.exec.command;
      const shutdown = Number(readDefault('SHUTDOWN_TIMEOUT_MS')) / 1000;
      expect(shutdown).toBeGreaterThan(0);
      expect(getPod(deployment).spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + shutdown);
    },
  );

  it('give pods only the privileges they need, and volumes where the image writes', () => {
    for (const workload of [...deployments, ...findByKind('Job')]) {
      expect(getPod(workload).spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(getContainer(workload).securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(projectFile('Dockerfile')).toContain(`DATA_DIR=${getSetting(workload, 'DATA_DIR')}\n`);
    }
  });

  it("use no more connections than PostgreSQL's default limit, even during a rollout", () => {
    const pods = deployments.reduce((sum, { spec }) => sum + Number(spec.replicas) + 1, 0);
    expect(pods * Number(getSetting(deployments[0] as KubernetesObject, 'DATABASE_POOL_SIZE'))).toBeLessThan(100);
  });

  it('scale by an existing metric', () => {
    const metrics = autoscaler.spec.metrics as { external: { metric: { name: string; selector: object } } }[];
    expect(metrics.map(({ external }) => external.metric)).toEqual(
      ['bulk', 'urgent'].map((lane) => ({
        name: 'heliograph_queue_oldest_age_seconds',
        selector: { matchLabels: { lane } },
      })),
    );
    expect(projectFile('docs/reference/metrics.md')).toContain(
      '| `heliograph_queue_oldest_age_seconds` | gauge | `lane` |',
    );
    const { rules } = parse(projectFile(`${AUTOSCALING}/prometheus-adapter-values.yaml`));
    expect(rules.external[0].seriesQuery).toBe('heliograph_queue_oldest_age_seconds{namespace!=""}');
  });

  it("name existing files, and the project's image and version", () => {
    const { version } = JSON.parse(projectFile('package.json'));
    const base = parse(projectFile(`${BASE}/kustomization.yaml`));
    const image = `${base.images[0].name}:${base.images[0].newTag}`;
    expect(new Set([...deployments, ...findByKind('Job')].map((workload) => getContainer(workload).image))).toEqual(
      new Set([image]),
    );
    expect(base.images[0].newTag).toBe(version);
    expect(parse(projectFile('deploy/helm/heliograph/Chart.yaml'))).toMatchObject({ version, appVersion: version });
    for (const [folder, { resources }] of [
      [BASE, base],
      [AUTOSCALING, parse(projectFile(`${AUTOSCALING}/kustomization.yaml`))],
    ]) {
      for (const resource of resources) expect(existsSync(join(PROJECT_FOLDER, folder, resource)), resource).toBe(true);
    }
  });
});
