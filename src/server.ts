import { isMember, takeNamedFile } from './process/cluster/member-variable.js';
import { refuse } from './process/refuse.js';
import { type Config, loadConfig } from './process/settings/config.js';

/** Runs the server until it is told to stop: in this process, or in several that this one starts. */
async function main(): Promise<void> {
  // Without a listener, a full disk or a closed pipe under standard output or standard error would end the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  let config: Config;
  try {
    takeNamedFile();
    config = loadConfig();
  } catch (error) {
    return refuse(error);
  }
  // Each of them loads what it needs: the process that starts the others neither serves nor sends.
  if (isMember()) {
    const { serveAsMember } = await import('./process/serving/serve-as-member.js');
    await serveAsMember(config);
  } else if (config.processes > 1) {
    const { startSeveral } = await import('./process/cluster/primary.js');
    await startSeveral(config);
  } else {
    const { serve } = await import('./process/serving/serve.js');
    await serve(config, null);
  }
}

await main();
