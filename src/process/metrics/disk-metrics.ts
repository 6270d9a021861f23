import { statfs } from 'node:fs/promises';
import type { Metric, Sample } from '../../platform/metrics/metric.js';
import { ShortCache } from '../../platform/short-cache.js';

type DiskSpace = { place: string; free: number; size: number };

/** Measures the disk space of folders. The label `place` is `data` (embedded PostgreSQL) or `backups`. */
export function diskMetrics(folders: Readonly<Record<string, string>>): Metric[] {
  const entries = Object.entries(folders);
  if (entries.length === 0) return [];
  const cache = new ShortCache<DiskSpace[]>();
  const readAll = () =>
    cache.get('', () => Promise.all(entries.map(([place, folder]) => readDiskSpace(place, folder))));
  const sample = async (field: 'free' | 'size'): Promise<Sample[]> =>
    (await readAll()).map((space) => ({ labels: { place: space.place }, value: space[field] }));
  return [
    {
      name: 'heliograph_disk_free_bytes',
      help: 'Free space on the disks of the embedded PostgreSQL (data) and of scheduled backups (backups) of the process',
      type: 'gauge',
      aggregation: 'one',
      labels: ['place'],
      read: () => sample('free'),
    },
    {
      name: 'heliograph_disk_size_bytes',
      help: 'Size of the disks of the embedded PostgreSQL (data) and of scheduled backups (backups) of the process',
      type: 'gauge',
      aggregation: 'one',
      labels: ['place'],
      read: () => sample('size'),
    },
  ];
}

async function readDiskSpace(place: string, folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { place, free: bavail * bsize, size: blocks * bsize };
}
