// Three projects: servers and browser journeys, which Node itself loads, and the web on jsdom, which
// Jest loads. swc compiles its TypeScript to ES modules.
const common = {
  rootDir: '.',
  modulePathIgnorePatterns: ['<rootDir>/.cache/', '<rootDir>/data/', '/dist/'],
}

const native = {
  ...common,
  runtime: '<rootDir>/tools/src/checks/native-runtime.ts',
  testEnvironment: '<rootDir>/tools/src/checks/native-environment.ts',
  transform: {},
}

const swcTransform = [
  '@swc/jest',
  {
    jsc: {
      target: 'es2024',
      parser: { syntax: 'typescript', tsx: true },
      transform: { react: { runtime: 'automatic' } },
    },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  },
]

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
      ...common,
      displayName: 'web',
      testEnvironment: 'jest-fixed-jsdom',
      testMatch: ['<rootDir>/web/test/**/*.test.{ts,tsx}'],
      setupFiles: ['<rootDir>/web/test/setup.ts'],
      moduleNameMapper: { '\\.(css|svg)$': '<rootDir>/web/test/style-stub.js' },
      transform: { '^.+\\.tsx?$': swcTransform },
      extensionsToTreatAsEsm: ['.ts', '.tsx'],
    },
    {
      ...native,
      displayName: 'e2e',
      testMatch: ['<rootDir>/e2e/test/**/*.test.ts'],
    },
  ],
}
