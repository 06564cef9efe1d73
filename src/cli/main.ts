#!/usr/bin/env node
import { EXIT } from './command.js';
import { runProgram } from './program.js';
import { terminalOf } from './terminal.js';

// A reader such as `head` closes the output early, which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : EXIT.failed));
process.exitCode = await runProgram(process.argv.slice(2), terminalOf(process));
