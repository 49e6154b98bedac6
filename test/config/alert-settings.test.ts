import { describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../src/config.ts';

describe('ALERT_WEBHOOK_URL', () => {
  test('behavior: several URLs are read, each once', () => {
    const urls = ' https://hooks.example/a , http://127.0.0.1:9/b,https://hooks.example/a,';
    expect(loadConfig({ ALERT_WEBHOOK_URL: urls }).alertWebhooks).toEqual([
      'https://hooks.example/a',
      'http://127.0.0.1:9/b',
    ]);
  });

  test.each([
    'http://hooks.example/fake-hook',
    'https://name:fake-hook@hooks.example/',
    'fake-hook',
    'https://hooks.example/a,http://hooks.example/fake-hook',
    ',',
  ])('security: %s is refused by the name of the variable, without the value', (urls) => {
    expect(() => loadConfig({ ALERT_WEBHOOK_URL: urls })).toThrow(
      new ConfigError(['ALERT_WEBHOOK_URL must be https URLs, comma-separated; http is for this machine only']),
    );
  });
});
