import { statfs } from 'node:fs/promises';
import type { Metric, Sample } from '../../platform/metrics/metric.js';
import { ShortCache } from '../../platform/short-cache.js';

type Room = { place: string; free: number; size: number };

/**
 * Room on the disks that this process writes to.
 * @param folders by what they hold: `data` (the embedded PostgreSQL) and `backups`
 */
export function diskMetrics(folders: Readonly<Record<string, string>>): Metric[] {
  const places = Object.entries(folders);
  if (places.length === 0) return [];
  const cache = new ShortCache<Room[]>();
  const rooms = () => cache.get('', () => Promise.all(places.map(([place, folder]) => roomOf(place, folder))));
  const sampled = async (field: 'free' | 'size'): Promise<Sample[]> =>
    (await rooms()).map((room) => ({ labels: { place: room.place }, value: room[field] }));
  return [
    {
      name: 'heliograph_disk_free_bytes',
      help: 'What is free where the embedded PostgreSQL (data) and scheduled backups (backups) lie',
      type: 'gauge',
      across: 'one',
      labels: ['place'],
      read: () => sampled('free'),
    },
    {
      name: 'heliograph_disk_size_bytes',
      help: 'How large these disks are',
      type: 'gauge',
      across: 'one',
      labels: ['place'],
      read: () => sampled('size'),
    },
  ];
}

async function roomOf(place: string, folder: string): Promise<Room> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { place, free: bavail * bsize, size: blocks * bsize };
}
