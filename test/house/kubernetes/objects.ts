import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { PROJECT_FOLDER } from '../../support/processes/server-process.js';

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
  spec: Record<string, unknown>;
}

export const projectFile = (path: string) => readFileSync(join(PROJECT_FOLDER, path), 'utf8');

export function parseObjects(text: string): KubernetesObject[] {
  return parseAllDocuments(text).map((document) => {
    if ('errors' in document && document.errors[0]) throw document.errors[0];
    return document.toJS() as KubernetesObject;
  });
}

/** Finds the module of `kubernetes-types` for an API version, or null for custom resources. */
function findTypeModule(apiVersion: string): string | null {
  const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  if (group.includes('.') && !group.endsWith('.k8s.io')) return null;
  return `${group.replace('.k8s.io', '')}/${version}`;
}

/** Checks objects, except custom resources, against the types of the Kubernetes 1.30 API, and returns compiler errors. */
export function typeErrors(objects: readonly KubernetesObject[]): string {
  const standardObjects = objects.filter(({ apiVersion }) => findTypeModule(apiVersion) !== null);
  const lines = standardObjects.map((object, index) => {
    const types = join(PROJECT_FOLDER, 'node_modules', 'kubernetes-types', findTypeModule(object.apiVersion) as string);
    const json = JSON.stringify(object, null, 2);
    return `export const object${index}: import(${JSON.stringify(types)}).${object.kind} = ${json};\n`;
  });
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-kubernetes-'));
  try {
    const file = join(folder, 'objects.ts');
    writeFileSync(file, lines.join(''));
    const compiler = join(PROJECT_FOLDER, 'node_modules', 'typescript', 'bin', 'tsc');
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'preserve', '--types', ''];
    const { stdout, status } = spawnSync(process.execPath, [compiler, ...options, file], {
      cwd: folder,
      encoding: 'utf8',
    });
    return status === 0 ? '' : stdout || `tsc ended with ${status}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
