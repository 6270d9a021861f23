import { isMember, usePrimaryEnvironmentFile } from './process/cluster/member-environment.js';
import { refuseStart } from './process/refuse.js';
import { type Config, loadConfig } from './process/settings/config.js';

/** Runs the server in this process, or in several that this one starts (PROCESSES). */
async function main(): Promise<void> {
  // Without a listener, a full disk or a closed pipe would crash the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  let config: Config;
  try {
    usePrimaryEnvironmentFile();
    config = loadConfig();
  } catch (error) {
    return refuseStart(error);
  }
  // Imported on demand: the primary process does not need the code that serves and sends.
  if (isMember()) {
    const { serveAsMember } = await import('./process/serving/serve-as-member.js');
    await serveAsMember(config);
  } else if (config.processes > 1) {
    const { startCluster } = await import('./process/cluster/primary.js');
    await startCluster(config);
  } else {
    const { serve } = await import('./process/serving/serve.js');
    await serve(config, null);
  }
}

await main();
