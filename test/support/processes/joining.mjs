// A cluster member that exits with code 7 when the primary process stops it.
import { PrimaryLink } from '../../../dist/process/cluster/primary-link.js';

const link = await PrimaryLink.connect();
link.onEnd(() => process.exit(7));
setTimeout(() => process.exit(1), 10_000);
