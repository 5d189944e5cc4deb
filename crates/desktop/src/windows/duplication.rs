//! Desktop duplication: the graphics driver hands over each new picture of a display and tells which parts of it are new.
//!
//! It is off unless a setting asks for it, until a person has gone through the list in `docs/windows.md` on a real
//! Windows. Every display has a duplication of its own on the adapter it hangs on. When Windows takes it away (another resolution,
//! a question for an Administrator, a full-screen game) it is made anew, and everything counts as changed. This module refuses
//! turned displays, and systems without duplication, with the remedy.

use super::displays::rect;
use super::session;
use super::system::{code, why};
use handsight_base::port::desktop::DesktopError;
use handsight_base::space::ScreenRect;
use windows::Win32::Foundation::{HMODULE, RECT};
use windows::Win32::Graphics::Direct3D::D3D_DRIVER_TYPE_UNKNOWN;
use windows::Win32::Graphics::Direct3D11::{
    D3D11_CPU_ACCESS_READ, D3D11_CREATE_DEVICE_FLAG, D3D11_MAP_READ, D3D11_MAPPED_SUBRESOURCE,
    D3D11_SDK_VERSION, D3D11_TEXTURE2D_DESC, D3D11_USAGE_STAGING, D3D11CreateDevice, ID3D11Device,
    ID3D11DeviceContext, ID3D11Texture2D,
};
use windows::Win32::Graphics::Dxgi::Common::{
    DXGI_FORMAT_B8G8R8A8_UNORM, DXGI_MODE_ROTATION_IDENTITY, DXGI_MODE_ROTATION_UNSPECIFIED, DXGI_SAMPLE_DESC,
};
use windows::Win32::Graphics::Dxgi::{
    CreateDXGIFactory1, DXGI_ERROR_ACCESS_LOST, DXGI_ERROR_WAIT_TIMEOUT, DXGI_OUTDUPL_FRAME_INFO,
    DXGI_OUTDUPL_MOVE_RECT, DXGI_OUTPUT_DESC, IDXGIAdapter, IDXGIFactory1, IDXGIOutput, IDXGIOutput1,
    IDXGIOutputDuplication, IDXGIResource,
};
use windows::core::{Error, Interface, Result as WinResult};

/// How long the first picture of a display may take, in milliseconds; later ones are there or not.
const FIRST_MS: u32 = 500;

const REMEDY: &str = "Set capture.method to gdi.";

/// Every display that is duplicated.
pub(super) struct Duplication {
    outputs: Vec<Output>,
    /// What changed since it was last asked for.
    changed: Vec<ScreenRect>,
}

struct Output {
    /// Of the screen.
    area: ScreenRect,
    context: ID3D11DeviceContext,
    duplication: IDXGIOutputDuplication,
    /// The newest picture, where it can be read.
    staging: ID3D11Texture2D,
    /// A picture has come.
    shown: bool,
}

impl Duplication {
    /// Duplicates every display, or says why that cannot be.
    pub(super) fn start() -> Result<Self, DesktopError> {
        let displays = displays().map_err(|error| refused(&error))?;
        let turned = |d: &Attached| {
            ![DXGI_MODE_ROTATION_IDENTITY, DXGI_MODE_ROTATION_UNSPECIFIED].contains(&d.desc.Rotation)
        };
        if displays.is_empty() || displays.iter().any(turned) {
            let why =
                if displays.is_empty() { "no display can be duplicated" } else { "a display is turned" };
            return Err(DesktopError::Unusable { why: why.into(), remedy: REMEDY.into() });
        }
        let outputs = displays.iter().map(Output::start).collect::<WinResult<Vec<_>>>();
        let outputs = outputs.map_err(|error| refused(&error))?;
        let changed = outputs.iter().map(|o| o.area).collect();
        Ok(Self { outputs, changed })
    }

    /// Writes the newest picture of `area` into BGRX rows of `4 * area.width` bytes. What no display shows is black.
    pub(super) fn copy(&mut self, area: ScreenRect, picture: &mut [u8]) -> Result<(), DesktopError> {
        self.update()?;
        picture.fill(0);
        self.outputs.iter().try_for_each(|o| o.copy(area, picture)).map_err(|error| told(&error))
    }

    /// What changed since the last call.
    pub(super) fn changed(&mut self) -> Result<Vec<ScreenRect>, DesktopError> {
        self.update()?;
        Ok(std::mem::take(&mut self.changed))
    }

    /// Takes in what is new on every display.
    fn update(&mut self) -> Result<(), DesktopError> {
        let changed = &mut self.changed;
        match self.outputs.iter_mut().try_for_each(|o| o.update(changed)) {
            Err(error) if error.code() == DXGI_ERROR_ACCESS_LOST => {
                *self = Self::start()?;
                let changed = &mut self.changed;
                self.outputs.iter_mut().try_for_each(|o| o.update(changed)).map_err(|error| told(&error))
            }
            other => other.map_err(|error| told(&error)),
        }
    }
}

impl Output {
    #[expect(unsafe_code, reason = "calls of the Windows API")]
    fn start(display: &Attached) -> WinResult<Self> {
        let Attached { adapter, output, desc } = display;
        let (mut device, mut context) = (None, None);
        let flags = D3D11_CREATE_DEVICE_FLAG(0);
        // SAFETY: the driver type goes with a named adapter; the two results are ours.
        unsafe {
            let (device, context) = (Some(&raw mut device), Some(&raw mut context));
            let none = HMODULE::default();
            D3D11CreateDevice(
                adapter,
                D3D_DRIVER_TYPE_UNKNOWN,
                none,
                flags,
                None,
                D3D11_SDK_VERSION,
                device,
                None,
                context,
            )?;
        }
        let (device, context): (ID3D11Device, ID3D11DeviceContext) =
            device.zip(context).ok_or_else(Error::empty)?;
        // SAFETY: a device of the adapter that the output belongs to.
        let duplication = unsafe { output.DuplicateOutput(&device) }?;
        let area = rect(&desc.DesktopCoordinates);
        let desc = D3D11_TEXTURE2D_DESC {
            Width: area.size.width,
            Height: area.size.height,
            MipLevels: 1,
            ArraySize: 1,
            // What a duplication always has.
            Format: DXGI_FORMAT_B8G8R8A8_UNORM,
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            Usage: D3D11_USAGE_STAGING,
            CPUAccessFlags: D3D11_CPU_ACCESS_READ.0 as u32,
            ..D3D11_TEXTURE2D_DESC::default()
        };
        let mut staging = None;
        // SAFETY: the description is whole, and the result is ours.
        unsafe { device.CreateTexture2D(&raw const desc, None, Some(&raw mut staging)) }?;
        let staging = staging.ok_or_else(Error::empty)?;
        Ok(Self { area, context, duplication, staging, shown: false })
    }

    /// Takes in the newest picture, if there is a new one, and adds what is new of it to `changed`.
    #[expect(unsafe_code, reason = "calls of the Windows API")]
    fn update(&mut self, changed: &mut Vec<ScreenRect>) -> WinResult<()> {
        let mut info = DXGI_OUTDUPL_FRAME_INFO::default();
        let mut resource: Option<IDXGIResource> = None;
        let patience = if self.shown { 0 } else { FIRST_MS };
        // SAFETY: both results are ours. What was acquired is released below, whatever came of it.
        match unsafe { self.duplication.AcquireNextFrame(patience, &raw mut info, &raw mut resource) } {
            Err(error) if error.code() == DXGI_ERROR_WAIT_TIMEOUT && self.shown => return Ok(()),
            other => other?,
        }
        let taken = self.take(&info, resource, changed);
        // SAFETY: acquired above.
        let released = unsafe { self.duplication.ReleaseFrame() };
        taken.and(released)
    }

    #[expect(unsafe_code, reason = "a call of the Windows API")]
    fn take(
        &mut self,
        info: &DXGI_OUTDUPL_FRAME_INFO,
        resource: Option<IDXGIResource>,
        changed: &mut Vec<ScreenRect>,
    ) -> WinResult<()> {
        // Only the pointer moved.
        if info.LastPresentTime == 0 && self.shown {
            return Ok(());
        }
        let picture: ID3D11Texture2D = resource.ok_or_else(Error::empty)?.cast()?;
        // SAFETY: two textures of one device, size and format.
        unsafe { self.context.CopyResource(&self.staging, &picture) };
        self.shown = true;
        if info.TotalMetadataBufferSize > 0 {
            changed.extend(self.news(info.TotalMetadataBufferSize)?);
        } else {
            changed.push(self.area);
        }
        Ok(())
    }

    /// The parts that were drawn, and the places that parts were moved to.
    #[expect(unsafe_code, reason = "calls of the Windows API")]
    fn news(&self, most: u32) -> WinResult<Vec<ScreenRect>> {
        let room = |each: usize| most as usize / each + 1;
        let mut drawn = vec![RECT::default(); room(size_of::<RECT>())];
        let mut moved = vec![DXGI_OUTDUPL_MOVE_RECT::default(); room(size_of::<DXGI_OUTDUPL_MOVE_RECT>())];
        let (mut drawn_bytes, mut moved_bytes) = (0, 0);
        // SAFETY: each buffer has at least as many bytes as is said, and Windows says how many it filled.
        unsafe {
            let bytes = size_of_val(&*moved) as u32;
            self.duplication.GetFrameMoveRects(bytes, moved.as_mut_ptr(), &raw mut moved_bytes)?;
            let bytes = size_of_val(&*drawn) as u32;
            self.duplication.GetFrameDirtyRects(bytes, drawn.as_mut_ptr(), &raw mut drawn_bytes)?;
        }
        drawn.truncate(drawn_bytes as usize / size_of::<RECT>());
        moved.truncate(moved_bytes as usize / size_of::<DXGI_OUTDUPL_MOVE_RECT>());
        let all = drawn.into_iter().chain(moved.into_iter().map(|m| m.DestinationRect));
        let ScreenRect { origin, .. } = self.area;
        Ok(all
            .map(|r| rect(&r))
            .map(|r| ScreenRect { origin: r.origin.offset(origin.x, origin.y), ..r })
            .collect())
    }

    /// Writes what this display shows of `area` into a picture of `area`.
    #[expect(unsafe_code, reason = "calls of the Windows API")]
    fn copy(&self, area: ScreenRect, picture: &mut [u8]) -> WinResult<()> {
        let Some(seen) = self.area.intersect(&area) else { return Ok(()) };
        let mut mapped = D3D11_MAPPED_SUBRESOURCE::default();
        // SAFETY: a texture that may be read; it is unmapped below.
        unsafe { self.context.Map(&self.staging, 0, D3D11_MAP_READ, 0, Some(&raw mut mapped)) }?;
        let (pitch, bytes) = (mapped.RowPitch as usize, seen.size.width as usize * 4);
        let (stride, rows) = (area.size.width as usize * 4, seen.size.height as usize);
        let column = |of: ScreenRect| (seen.origin.x - of.origin.x) as usize * 4;
        let row = |of: ScreenRect| (seen.origin.y - of.origin.y) as usize;
        for n in 0..rows {
            let to = (row(area) + n) * stride + column(area);
            // SAFETY: `seen` lies in this display, so its rows lie in the mapping.
            let source = unsafe {
                let from = (row(self.area) + n) * pitch + column(self.area);
                std::slice::from_raw_parts(mapped.pData.cast::<u8>().add(from), bytes)
            };
            if let Some(target) = picture.get_mut(to..to + bytes) {
                target.copy_from_slice(source);
            }
        }
        // SAFETY: mapped above, and no slice of it is left.
        unsafe { self.context.Unmap(&self.staging, 0) };
        Ok(())
    }
}

/// A display that shows a part of the desktop, and the adapter it hangs on.
struct Attached {
    adapter: IDXGIAdapter,
    output: IDXGIOutput1,
    desc: DXGI_OUTPUT_DESC,
}

#[expect(unsafe_code, reason = "calls of the Windows API")]
fn displays() -> WinResult<Vec<Attached>> {
    let mut found = Vec::new();
    // SAFETY: numbers are counted up to the first that Windows does not have.
    unsafe {
        let factory: IDXGIFactory1 = CreateDXGIFactory1()?;
        for adapter in (0..).map_while(|n| factory.EnumAdapters(n).ok()) {
            let outputs = (0..).map_while(|n| adapter.EnumOutputs(n).ok());
            for output in outputs.collect::<Vec<IDXGIOutput>>() {
                let desc = output.GetDesc()?;
                if desc.AttachedToDesktop.as_bool() {
                    found.push(Attached { adapter: adapter.clone(), output: output.cast()?, desc });
                }
            }
        }
    }
    Ok(found)
}

/// It cannot begin: a locked screen will pass, a system without it will not.
fn refused(error: &Error) -> DesktopError {
    match session::hidden() {
        Some(why) => session::lost(why),
        None => DesktopError::Unusable {
            why: format!("no display can be duplicated here: {}", why(error)),
            remedy: REMEDY.into(),
        },
    }
}

fn told(error: &Error) -> DesktopError {
    match session::hidden() {
        Some(why) => session::lost(why),
        None => DesktopError::Capture { why: why(error), code: Some(code(error)) },
    }
}
