// A process that joins those of a start, and ends with 7 where it is told to end.
import { Joined } from '../../../dist/process/cluster/joined.js';

const joined = await Joined.join();
joined.onEnd(() => process.exit(7));
setTimeout(() => process.exit(1), 10_000);
