import { freePort } from './port.ts';
import { createProxy } from './proxy.ts';
import { createServiceProcess, type ServiceOptions, type ServiceProcess } from './service.ts';

/**
 * Supervises several instances of the service on one database, as one service at `url`: a proxy hands requests to them in
 * turn. A crash is that of one instance, each time of the next.
 */
export async function createInstances({
  count,
  ...options
}: ServiceOptions & { count: number }): Promise<ServiceProcess> {
  const ports: number[] = [];
  for (let made = 0; made < count; made += 1) ports.push(await freePort(0));
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const proxy = createProxy(urls);
  const instances: readonly ServiceProcess[] = urls.map((url, place) =>
    createServiceProcess({
      ...options,
      url,
      name: `Instance ${place + 1}`,
      env: { ...options.env, PORT: new URL(url).port },
      observe: (event) => {
        const others = instances.filter((_, other) => other !== place).flatMap((other) => other.pids()).length;
        options.observe?.({ ...event, others });
      },
    }),
  );
  const all = async (work: (instance: ServiceProcess) => Promise<void>) => {
    await Promise.all(instances.map(work));
  };
  let turn = 0;

  return {
    start: async () => {
      // One after the other: together they would take longer than each of them may.
      for (const instance of instances) await instance.start();
      await proxy.start(Number(new URL(options.url).port));
    },
    pids: () => instances.flatMap((instance) => instance.pids()),
    tellTime: () => all((instance) => instance.tellTime()),
    crash: () => {
      const inTurn = instances.map((_, place) => instances[(turn + place) % count]);
      turn += 1;
      return inTurn.some((instance) => instance?.crash());
    },
    whileStopped: async (work) => {
      const stopped = instances.reduce((inner, instance) => () => instance.whileStopped(inner), work);
      await stopped();
    },
    stop: async () => {
      await all((instance) => instance.stop());
      await proxy.stop();
    },
    kill: () => {
      for (const instance of instances) instance.kill();
    },
  };
}
