import { refuseOldNode } from './platform/machine/node-version.js';

refuseOldNode();
// Imported after the check above: on an old Node.js, static imports of names that it lacks would fail first.
await import('./server.js');
