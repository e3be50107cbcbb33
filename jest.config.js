// Three projects: servers, the web on jsdom, and browser journeys. Node itself loads the tests.
const native = {
  rootDir: '.',
  modulePathIgnorePatterns: ['<rootDir>/.cache/', '<rootDir>/data/', '/dist/'],
  runtime: '<rootDir>/tools/src/checks/native-runtime.ts',
  testEnvironment: '<rootDir>/tools/src/checks/native-environment.ts',
  transform: {},
}

export default {
  workerIdleMemoryLimit: '1GB',
  // Only ends tests that hang. A slow machine takes several times as long as a usual one.
  testTimeout: 600_000,
  projects: [
    {
      ...native,
      displayName: 'server',
      testMatch: ['<rootDir>/{gateway,services/*,shared/*,tools,lab}/test/**/*.test.ts'],
    },
    {
      ...native,
      displayName: 'web',
      testEnvironment: '<rootDir>/tools/src/checks/native-dom-environment.ts',
      testMatch: ['<rootDir>/web/test/**/*.test.{ts,tsx}'],
      setupFilesAfterEnv: ['<rootDir>/web/test/setup.ts'],
    },
    {
      ...native,
      displayName: 'e2e',
      testMatch: ['<rootDir>/e2e/test/**/*.test.ts'],
    },
  ],
}
