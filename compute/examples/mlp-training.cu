// Training of a classifier with one hidden layer by stochastic gradient descent. Each kernel makes one thing for all
// samples of a batch; sums go in ascending order, so that the weights are the same bits everywhere. Compiled with
// `nvcc -ptx -arch=compute_75 -fmad=false`.
#include "../include/ogpu-math.h"

#define MOST_CLASSES 16

// hidden[b, j] = max(0, bias[j] + sum over k of x[first + b, k] * weights[j, k]).
extern "C" __global__ void hidden_layer(int n, int features, int units, int first, const float* x, const float* weights,
                                        const float* bias, float* hidden) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sample = i / units, unit = i % units;
  float sum = bias[unit];
  for (int k = 0; k < features; k++) {
    sum = ogpu::fma(x[(first + sample) * features + k], weights[unit * features + k], sum);
  }
  hidden[i] = ogpu::larger(sum, 0.0f);
}

// One sample by one thread: what each class gets wrong, divided by the size of the batch, and the loss.
extern "C" __global__ void output_error(int samples, int units, int classes, int first, const float* hidden,
                                        const float* weights, const float* bias, const int* labels, float* error,
                                        float* loss) {
  int sample = blockIdx.x * blockDim.x + threadIdx.x;
  if (sample >= samples) return;
  float z[MOST_CLASSES];
  float most = -ogpu::infinity();
  for (int c = 0; c < classes; c++) {
    float sum = bias[c];
    for (int j = 0; j < units; j++) sum = ogpu::fma(hidden[sample * units + j], weights[c * units + j], sum);
    z[c] = sum;
    most = ogpu::larger(most, sum);
  }
  float total = 0.0f;
  for (int c = 0; c < classes; c++) {
    z[c] = ogpu::exp(ogpu::sub(z[c], most));
    total = ogpu::add(total, z[c]);
  }
  int label = labels[first + sample];
  for (int c = 0; c < classes; c++) {
    float p = ogpu::div(z[c], total);
    if (c == label) loss[sample] = ogpu::negative(ogpu::log(p));
    error[sample * classes + c] = ogpu::div(ogpu::sub(p, c == label ? 1.0f : 0.0f), (float)samples);
  }
}

// What the hidden layer got wrong: the error of the classes through the weights, where the unit was on.
extern "C" __global__ void hidden_error(int n, int units, int classes, const float* hidden, const float* error,
                                        const float* weights, float* result) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sample = i / units, unit = i % units;
  float sum = 0.0f;
  for (int c = 0; c < classes; c++) sum = ogpu::fma(error[sample * classes + c], weights[c * units + unit], sum);
  result[i] = hidden[i] > 0.0f ? sum : 0.0f;
}

// weights[o, k] -= rate * sum over samples of error[sample, o] * input[first + sample, k].
extern "C" __global__ void descend(int n, int samples, int inputs, int outputs, int first, float rate,
                                   const float* input, const float* error, float* weights) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int output = i / inputs, k = i % inputs;
  float sum = 0.0f;
  for (int b = 0; b < samples; b++) {
    sum = ogpu::fma(error[b * outputs + output], input[(first + b) * inputs + k], sum);
  }
  weights[i] = ogpu::fma(ogpu::negative(rate), sum, weights[i]);
}

extern "C" __global__ void descend_bias(int n, int samples, float rate, const float* error, float* bias) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int b = 0; b < samples; b++) sum = ogpu::add(sum, error[b * n + i]);
  bias[i] = ogpu::fma(ogpu::negative(rate), sum, bias[i]);
}

// The mean loss of a batch goes to its place in the curve.
extern "C" __global__ void note_loss(int samples, int epoch, int batch, const float* loss, float* curve) {
  float sum = 0.0f;
  for (int b = 0; b < samples; b++) sum = ogpu::add(sum, loss[b]);
  curve[epoch + batch] = ogpu::div(sum, (float)samples);
}
