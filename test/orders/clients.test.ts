import { testPart } from './part.js';

testPart('clients');
