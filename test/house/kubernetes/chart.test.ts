import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeHelm, runHelm, runKubectl } from '../../support/processes/helm.js';
import { PROJECT_FOLDER } from '../../support/processes/server-process.js';
import { type KubernetesObject, parseObjects, typeErrors } from './objects.js';

const CHART = join(PROJECT_FOLDER, 'deploy', 'helm', 'heliograph');
const MANIFESTS = join(PROJECT_FOLDER, 'deploy', 'kubernetes');

const ALL_VALUES = JSON.stringify({
  image: { repository: 'registry.example.com/heliograph', tag: '1.2.3' },
  imagePullSecrets: [{ name: 'registry' }],
  existingSecret: 'secrets',
  settings: { SHUTDOWN_TIMEOUT_MS: '60000', TRUST_PROXY: '10.0.0.0/8' },
  api: {
    autoscaling: { enabled: true },
    settings: { MAX_CONNECTIONS: '2000' },
    podAnnotations: { team: 'messaging' },
    nodeSelector: { disk: 'fast' },
    tolerations: [{ key: 'messaging', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
  },
  worker: { autoscaling: { enabled: true }, settings: { TRUST_PROXY: 'false' } },
  service: { annotations: { a: 'b' } },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'certificate', annotations: { a: 'b' } },
  metrics: { podMonitor: { enabled: true, token: true, labels: { release: 'prometheus' } } },
  networkPolicy: { enabled: true },
});

const template = (values: string, ...args: string[]) =>
  runHelm(['template', 'heliograph', CHART, '--namespace', 'messaging', '--values', '-', ...args], values);

function render(values: string, ...args: string[]): KubernetesObject[] {
  const { code, stdout, stderr } = template(values, ...args);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return parseObjects(stdout);
}

describeHelm('the chart', () => {
  it.each([
    ['its own values', '{}'],
    ['everything that can be set', ALL_VALUES],
  ])('passes helm lint with %s', (_what, values) => {
    const { code, stdout, stderr } = runHelm(['lint', '--strict', CHART, '--values', '-'], values);
    expect(code, stdout + stderr).toBe(0);
  });

  it('renders the manifests of deploy/kubernetes, except the Helm hook', async () => {
    const plain = template('{"migration": {"hook": false}}');
    await expect(plain.stdout).toMatchFileSnapshot(join(MANIFESTS, 'base', 'heliograph.yaml'));
    const worker = ['--show-only', 'templates/worker-autoscaling.yaml'];
    const autoscaler = template('{"worker": {"autoscaling": {"enabled": true}}}', ...worker);
    await expect(autoscaler.stdout).toMatchFileSnapshot(join(MANIFESTS, 'autoscaling', 'worker.yaml'));
    const [job] = render('{}').filter(({ kind }) => kind === 'Job');
    expect(job?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
  });

  it('renders valid manifests with every value set', () => {
    const objects = render(ALL_VALUES);
    expect(typeErrors(objects)).toBe('');
    expect(new Set(objects.map(({ kind }) => kind))).toEqual(
      new Set([
        'Deployment',
        'HorizontalPodAutoscaler',
        'Ingress',
        'Job',
        'NetworkPolicy',
        'PodDisruptionBudget',
        'PodMonitor',
        'Service',
      ]),
    );
    const deployments = objects.filter(({ kind }) => kind === 'Deployment');
    expect(deployments.map(({ spec }) => spec.replicas)).toEqual([undefined, undefined]);
    expect(deployments.map(({ spec }) => spec.template)).toMatchObject([
      { spec: { terminationGracePeriodSeconds: 75 } },
      { spec: { terminationGracePeriodSeconds: 75 } },
    ]);
    const trust = deployments.map(
      (deployment) => /"TRUST_PROXY","value":"([^"]+)"/.exec(JSON.stringify(deployment))?.[1],
    );
    expect(trust).toEqual(['10.0.0.0/8', 'false']);
  });

  it('can scale with KEDA instead of the adapter', () => {
    const values = JSON.stringify({ worker: { autoscaling: { enabled: true, by: 'keda' } } });
    const objects = render(values).filter(({ kind }) => /Autoscaler|ScaledObject/.test(kind));
    expect(objects).toMatchObject([
      {
        apiVersion: 'keda.sh/v1alpha1',
        spec: {
          scaleTargetRef: { name: 'heliograph-worker' },
          triggers: [
            { type: 'prometheus', metadata: { threshold: '60' } },
            {
              metadata: {
                query: 'max(heliograph_queue_oldest_age_seconds{lane="urgent",namespace="messaging"})',
                threshold: '10',
              },
            },
          ],
        },
      },
    ]);
  });

  it.each(
    Object.entries({
      'an unknown value': { values: '{"workers": {}}', expectedName: 'workers' },
      'a setting that the chart sets itself': { values: '{"settings": {"PORT": "80"}}', expectedName: 'PORT' },
      'a secret among the settings': {
        values: '{"settings": {"DATABASE_URL": "postgresql://host/db"}}',
        expectedName: 'DATABASE_URL',
      },
      'a password among the settings': {
        values: '{"settings": {"REDIS_URL": "rediss://user:password@host:6379"}}',
        expectedName: 'REDIS_URL',
      },
      'a setting that is not a string': {
        values: '{"settings": {"SMS_MAX_CHARS": 1600}}',
        expectedName: 'SMS_MAX_CHARS',
      },
      'no secret': { values: '{"existingSecret": ""}', expectedName: 'existingSecret' },
    }),
  )('refuses %s', (_what, { values, expectedName }) => {
    const { code, stderr } = template(values);
    expect(code).toBe(1);
    expect(stderr).toContain(expectedName);
  });

  it('matches the output of kustomize, which leaves the number of workers to the autoscaler', () => {
    const build = (overlay: string) => {
      const { code, stdout, stderr } = runKubectl(['kustomize', join(MANIFESTS, overlay)]);
      expect(code, stderr).toBe(0);
      return parseObjects(stdout);
    };
    const replicas = (objects: KubernetesObject[]) =>
      objects.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.replicas);
    expect(replicas(build('base'))).toEqual([2, 2]);
    expect(replicas(build('autoscaling'))).toEqual([2, undefined]);
  });
});
