//! Runs an ONNX model: by rten, or by the onnxruntime of the user.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ort::session::Session;
use ort::value::Tensor as OrtTensor;
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};

use super::batch::Batch;
use super::error::brief;
use super::{LocalError, ModelKind};

/// The file of a model.
pub(super) const FILE: &str = "model.onnx";

/// The library of onnxruntime, which does the same as rten and is faster with some models.
#[derive(Clone)]
pub struct OnnxRuntime {
    path: PathBuf,
    environment: Arc<ort::environment::Environment>,
}

impl OnnxRuntime {
    /// Loads the library at the path; once in a process.
    pub fn load(path: &Path) -> Result<Self, LocalError> {
        let failed = |why: String| LocalError::Library { path: path.to_owned(), why };
        let builder = ort::init_from(path).map_err(|error| failed(brief(error)))?;
        let environment = builder.build().map_err(|error| failed(brief(error)))?;
        Ok(Self { path: path.to_owned(), environment: Arc::new(environment) })
    }

    fn session(&self, model: &Path) -> Result<Session, LocalError> {
        let failed = |error: String| {
            let library = self.path.display();
            LocalError::model(model, format!("onnxruntime ({library}) does not read it: {error}"))
        };
        let builder = Session::builder(&self.environment).map_err(|error| failed(brief(error)))?;
        let threads = rayon::current_num_threads();
        let builder = builder.with_intra_threads(threads);
        let mut builder = builder.map_err(|error| failed(brief(error)))?;
        builder.commit_from_file(model).map_err(|error| failed(brief(error)))
    }
}

/// What a model is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    Ids,
    Mask,
    Types,
}

impl Input {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "input_ids" => Self::Ids,
            "attention_mask" => Self::Mask,
            "token_type_ids" => Self::Types,
            _ => return None,
        })
    }

    fn of(self, batch: &Batch) -> &[u32] {
        match self {
            Self::Ids => &batch.ids,
            Self::Mask => &batch.mask,
            Self::Types => &batch.types,
        }
    }
}

/// A model that can be run.
pub(super) struct Runtime {
    path: PathBuf,
    program: Program,
    /// The names of the inputs, and what they are.
    inputs: Vec<(String, Input)>,
    kind: ModelKind,
}

enum Program {
    Rten { model: Box<rten::Model>, pool: Arc<rten::ThreadPool> },
    Onnx(Box<Session>),
}

/// The numbers that a model returns, row by row.
pub(super) struct Output {
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f32>,
}

impl Runtime {
    pub(super) fn open(folder: &Path, library: Option<&OnnxRuntime>) -> Result<Self, LocalError> {
        let path = folder.join(FILE);
        if !path.is_file() {
            return Err(super::settings::missing(folder, FILE));
        }
        let (program, inputs, outputs) = if let Some(library) = library {
            let session = library.session(&path)?;
            let names = |outlets: &[ort::value::Outlet]| -> Vec<String> {
                outlets.iter().map(|outlet| outlet.name().to_owned()).collect()
            };
            let (inputs, outputs) = (names(session.inputs()), names(session.outputs()));
            (Program::Onnx(Box::new(session)), inputs, outputs)
        } else {
            let model = rten::Model::load_file(&path).map_err(|error| {
                LocalError::model(&path, format!("rten does not read it: {}", brief(error)))
            })?;
            let name = |id: &rten::NodeId| {
                let info = model.node_info(*id);
                info.and_then(|info| info.name().map(str::to_owned)).unwrap_or_default()
            };
            let inputs = model.input_ids().iter().map(name).collect();
            let outputs = model.output_ids().iter().map(name).collect();
            let threads = rten::ThreadPool::with_num_threads(rayon::current_num_threads());
            let pool = Arc::new(threads);
            (Program::Rten { model: Box::new(model), pool }, inputs, outputs)
        };
        Self::with(path, program, inputs, &outputs)
    }

    /// Checks that the inputs and outputs are known ones.
    fn with(
        path: PathBuf,
        program: Program,
        inputs: Vec<String>,
        outputs: &[String],
    ) -> Result<Self, LocalError> {
        let mut known = Vec::new();
        for name in inputs {
            let Some(input) = Input::parse(&name) else {
                let why = format!(
                    "needs the input `{name}`, which qualm does not have; export the model again \
                     with the script that `qualm models script` prints"
                );
                return Err(LocalError::model(&path, why));
            };
            known.push((name, input));
        }
        let Some(kind) = outputs.iter().find_map(|name| ModelKind::of_output(name)) else {
            let why = format!(
                "has the outputs {}, and neither `logits` nor `last_hidden_state`; export the model \
                 again with the script that `qualm models script` prints",
                outputs.join(", ")
            );
            return Err(LocalError::model(&path, why));
        };
        Ok(Self { path, program, inputs: known, kind })
    }

    /// What the model is for, by its output.
    pub(super) fn kind(&self) -> ModelKind {
        self.kind
    }

    pub(super) fn run(&mut self, batch: &Batch) -> Result<Output, LocalError> {
        let shape = [batch.rows, batch.length];
        let (inputs, output) = (&self.inputs, self.kind.output());
        let result = match &mut self.program {
            Program::Rten { model, pool } => run_rten(model, pool, inputs, output, batch),
            Program::Onnx(session) => run_onnx(session, inputs, output, batch),
        };
        result.map_err(|why| {
            let [rows, length] = shape;
            let why = format!("does not run on {rows} texts of {length} tokens: {why}");
            LocalError::model(&self.path, why)
        })
    }
}

fn run_rten(
    model: &rten::Model,
    pool: &Arc<rten::ThreadPool>,
    inputs: &[(String, Input)],
    output: &str,
    batch: &Batch,
) -> Result<Output, String> {
    let mut values = Vec::new();
    for (name, input) in inputs {
        let data: Vec<i32> = input.of(batch).iter().map(|value| value.cast_signed()).collect();
        let tensor = NdTensor::from_data([batch.rows, batch.length], data);
        values.push((model.node_id(name).map_err(brief)?, tensor.into()));
    }
    let output = model.node_id(output).map_err(brief)?;
    let options = rten::RunOptions::default().with_thread_pool(Some(pool.clone()));
    let [value] = model.run_n(values, [output], Some(options)).map_err(brief)?;
    let tensor: Tensor<f32> = value.into_tensor().ok_or("its output is not made of numbers")?;
    Ok(Output { shape: tensor.shape().to_vec(), values: tensor.to_vec() })
}

fn run_onnx(
    session: &mut Session,
    inputs: &[(String, Input)],
    output: &str,
    batch: &Batch,
) -> Result<Output, String> {
    let mut values = Vec::new();
    for (name, input) in inputs {
        let data: Vec<i64> = input.of(batch).iter().map(|value| i64::from(*value)).collect();
        let tensor = OrtTensor::from_array(([batch.rows, batch.length], data)).map_err(brief)?;
        values.push((Cow::from(name.as_str()), ort::session::SessionInputValue::from(tensor)));
    }
    let outputs = session.run(values).map_err(brief)?;
    let value = outputs.get(output).ok_or("its output is missing")?;
    let (shape, numbers) = value.try_extract_tensor::<f32>().map_err(brief)?;
    let shape = shape.iter().map(|length| usize::try_from(*length).unwrap_or(0)).collect();
    Ok(Output { shape, values: numbers.to_vec() })
}
