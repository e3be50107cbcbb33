// KEDA's kinds are not among Kubernetes' own. These are the fields that the manifests here use, as KEDA 2.18 has them
// (keda.sh/docs/2.18/reference/scaledobject-spec); whoever uses another one adds it here first.

const metadata = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
    namespace: { type: 'string' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    annotations: { type: 'object', additionalProperties: { type: 'string' } },
  },
  additionalProperties: false,
}

const seconds = { type: 'integer', minimum: 0 }
const replicas = { type: 'integer', minimum: 0 }

/** KEDA takes every value of a trigger as text. */
const text = { type: 'string', minLength: 1 }

const cpuTrigger = {
  type: 'object',
  required: ['type', 'metricType', 'metadata'],
  properties: {
    type: { const: 'cpu' },
    metricType: { enum: ['Utilization', 'AverageValue'] },
    metadata: {
      type: 'object',
      required: ['value'],
      properties: { value: { type: 'string', pattern: '^\\d+m?$' }, containerName: text },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
}

const rabbitTrigger = {
  type: 'object',
  required: ['type', 'metadata', 'authenticationRef'],
  properties: {
    type: { const: 'rabbitmq' },
    metadata: {
      type: 'object',
      required: ['protocol', 'queueName', 'mode', 'value'],
      properties: {
        protocol: { enum: ['amqp', 'http', 'auto'] },
        queueName: text,
        mode: { enum: ['QueueLength', 'MessageRate'] },
        value: { type: 'string', pattern: '^\\d+$' },
        activationValue: { type: 'string', pattern: '^\\d+$' },
        vhostName: text,
      },
      additionalProperties: false,
    },
    authenticationRef: {
      type: 'object',
      required: ['name'],
      properties: { name: text, kind: { enum: ['TriggerAuthentication', 'ClusterTriggerAuthentication'] } },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
}

const behaviorPolicies = {
  type: 'object',
  properties: {
    stabilizationWindowSeconds: { type: 'integer', minimum: 0, maximum: 3600 },
    selectPolicy: { enum: ['Max', 'Min', 'Disabled'] },
    policies: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'value', 'periodSeconds'],
        properties: {
          type: { enum: ['Pods', 'Percent'] },
          value: { type: 'integer', minimum: 1 },
          periodSeconds: { type: 'integer', minimum: 1, maximum: 1800 },
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
}

const scaledObject = {
  type: 'object',
  required: ['apiVersion', 'kind', 'metadata', 'spec'],
  properties: {
    apiVersion: { const: 'keda.sh/v1alpha1' },
    kind: { const: 'ScaledObject' },
    metadata,
    spec: {
      type: 'object',
      required: ['scaleTargetRef', 'triggers'],
      properties: {
        scaleTargetRef: {
          type: 'object',
          required: ['name'],
          properties: { name: text, kind: text, apiVersion: text, envSourceContainerName: text },
          additionalProperties: false,
        },
        minReplicaCount: replicas,
        maxReplicaCount: { type: 'integer', minimum: 1 },
        pollingInterval: seconds,
        cooldownPeriod: seconds,
        fallback: {
          type: 'object',
          required: ['failureThreshold', 'replicas'],
          properties: { failureThreshold: { type: 'integer', minimum: 1 }, replicas },
          additionalProperties: false,
        },
        advanced: {
          type: 'object',
          properties: {
            restoreToOriginalReplicaCount: { type: 'boolean' },
            horizontalPodAutoscalerConfig: {
              type: 'object',
              properties: {
                name: text,
                behavior: {
                  type: 'object',
                  properties: { scaleUp: behaviorPolicies, scaleDown: behaviorPolicies },
                  additionalProperties: false,
                },
              },
              additionalProperties: false,
            },
          },
          additionalProperties: false,
        },
        triggers: { type: 'array', minItems: 1, items: { oneOf: [cpuTrigger, rabbitTrigger] } },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
}

const triggerAuthentication = {
  type: 'object',
  required: ['apiVersion', 'kind', 'metadata', 'spec'],
  properties: {
    apiVersion: { const: 'keda.sh/v1alpha1' },
    kind: { const: 'TriggerAuthentication' },
    metadata,
    spec: {
      type: 'object',
      required: ['secretTargetRef'],
      properties: {
        secretTargetRef: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            required: ['parameter', 'name', 'key'],
            properties: { parameter: text, name: text, key: text },
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
}

/** By apiVersion and kind. */
export const kedaSchemas: Record<string, object> = {
  'keda.sh/v1alpha1 ScaledObject': scaledObject,
  'keda.sh/v1alpha1 TriggerAuthentication': triggerAuthentication,
}
